import type { StoreProposal } from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import type { Question } from "@scorel/requests/contract";
import { describe, expect, it } from "vitest";
import { contained, testCallers } from "../../harness.ts";
import { delayUntil, gate, text, toolCall, usage } from "../../model-server.ts";
import { exposingPlugin, firstOf } from "../requests/setup.ts";
import { openAgent, says, tool } from "./setup.ts";

function layer(id: string, handler: (proposal: StoreProposal) => unknown, more: object = {}) {
  const beforeStore = { handler: handler as never, ...more };
  return contained(definePlugin({ id, name: id, version: "1.0.0", hooks: () => ({ beforeStore }) }));
}

/** Replaces the word "blue" in texts, arguments and details. */
const clean = ({ message }: StoreProposal) => {
  const { content, details } = message as { content: unknown; details?: unknown };
  const without = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("blue", "____"));
  return { content: without(content), ...(details !== undefined && { details: without(details) }) };
};
const fails = () => Promise.reject(new Error("the patterns cannot be read"));

const echo = tool("echo", async (_id, params: any) => ({ ...says(`It is ${params.word}.`), details: params }));

/** One-pixel images: one that is allowed, and one that is to be removed. */
const pixel = {
  type: "image" as const,
  data: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  mimeType: "image/gif",
};
const secret = { ...pixel, data: "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==" };

describe("the hook beforeStore", () => {
  it("changes what is stored of prompts, replies and results, and so what the model sees later", async () => {
    const ran: unknown[] = [];
    const spy = tool("echo", async (id, params: any, ...rest) => {
      ran.push(params);
      return echo.execute(id, params, ...rest);
    });
    const script = [[text("Saying blue."), toolCall("echo", { word: "blue" })], text("It was blue.")];
    await using t = await openAgent(script, { tools: [spy], plugins: [layer("clean", clean)] });
    const outcome = await (await t.agent.send("Say blue.")).turn;
    expect([outcome.reason, outcome.text, ran]).toEqual(["completed", "It was ____.", [{ word: "blue" }]]);
    expect(JSON.stringify(t.stored())).not.toContain("blue");
    expect(t.server.requests.map(({ text: sent }) => sent.includes("blue"))).toEqual([false, false]);
    expect(t.server.requests[1]?.text).toContain("It is ____.");
    expect(t.kernel.failures).toEqual([]);
  });

  it("changes what is stored of a question, which then says so, and of its answer, but not the answer itself", async () => {
    const { plugin, ctx } = exposingPlugin();
    await using t = await openAgent([], { plugins: [requests, plugin, layer("clean", clean)] });
    const operations: any = Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
    const run = (operation: string, params: object) =>
      operations[operation].run({ sessionId: t.session.id, ...params }, testCallers().caller("client1"));
    await run("attend_requests", {});
    const asked = async (question: Question, answer: object) => {
      const told = ctx().requests.ask(question);
      const { requestId } = await firstOf(t.kernel);
      await run("answer_request", { requestId, ...answer });
      return told;
    };
    const body: Question["body"] = [{ display: "diff", path: "sky", text: "+blue" }];
    const data = { toolCallId: "call1", args: { lines: ["blue"] } };
    const options = [{ value: "blue", label: "as blue", message: "It is blue" }];
    expect([
      await asked({ kind: "select", title: "Write blue?", body, options, data }, { answer: "blue" }),
      await asked({ kind: "input", title: "Name?", fallback: "blue" }, { answer: "blue!", reason: "as blue" }),
      await asked({ kind: "confirm", title: "Red?" }, { answer: "y" }),
    ]).toEqual([{ answer: "blue" }, { answer: "blue!", reason: "as blue" }, { answer: "y" }]);
    const hidden = { display: "notice", level: "warning", text: expect.stringContaining("are hidden") };
    expect(
      t.stored().map(({ title, body, options, fallback, data, answer, reason }: any) => ({
        ...{ title, body, options, fallback, data, answer, reason },
      })),
    ).toEqual([
      {
        title: "Write ____?",
        body: [hidden, { display: "diff", path: "sky", text: "+____" }],
        options: [{ value: "blue", label: "as ____", message: "It is ____" }],
        data: { toolCallId: "call1", args: { lines: ["____"] } },
      },
      { answer: "blue" },
      { title: "Name?", body: [hidden], fallback: "____" },
      { answer: "____!", reason: "as ____" },
      { title: "Red?" },
      { answer: "y" },
    ]);
  });

  it("asks nothing when a critical layer fails for a question", async () => {
    const { plugin, ctx } = exposingPlugin();
    await using t = await openAgent([], { plugins: [requests, plugin, layer("clean", fails, { critical: true })] });
    const operations: any = Object.assign({}, ...t.kernel.collect("operations").map(({ value }) => value));
    await operations.attend_requests.run({ sessionId: t.session.id }, testCallers().caller("client1"));
    await expect(ctx().requests.ask({ kind: "confirm", title: "Red?" })).rejects.toMatchObject({
      code: "HOOK_CRITICAL",
    });
    expect(t.stored()).toEqual([]);
  });

  it("changes and drops images of prompts and results, before they are stored and sent", async () => {
    const covered = { type: "image" as const, data: pixel.data, mimeType: pixel.mimeType };
    const cover = layer("cover", ({ message }) => {
      if (typeof message.content === "string") return undefined;
      const blocks = message.content as { type: string; data?: string }[];
      return {
        content: blocks.map((block) =>
          block.data !== secret.data
            ? block
            : message.role === "user"
              ? covered
              : { type: "text", text: "[image left out]" },
        ),
      };
    });
    const shot = tool("shot", async () => ({ content: [secret, { type: "text" as const, text: "the screen" }] }));
    await using t = await openAgent([toolCall("shot", {}), text("seen")], {
      tools: [shot],
      plugins: [cover],
      model: { input: ["text", "image"] },
    });
    await (await t.agent.send([{ type: "text", text: "look" }, secret, pixel])).turn;
    const contents = t
      .stored()
      .flatMap(({ message }: any) => (message && message.role !== "assistant" ? [message.content] : []));
    expect(contents).toEqual([
      [{ type: "text", text: "look" }, covered, pixel],
      [
        { type: "text", text: "[image left out]" },
        { type: "text", text: "the screen" },
      ],
    ]);
    expect(t.server.requests.map(({ text: sent }) => sent.includes(secret.data))).toEqual([false, false]);
    expect(t.server.requests[1]?.text).toContain(pixel.data);
    expect(t.kernel.failures).toEqual([]);
  });

  it("changes messages that wait, and keeps their order", async () => {
    const hold = gate();
    const slow = layer("slow", async (proposal) => {
      if (JSON.stringify(proposal).includes("first")) await new Promise((resolve) => setTimeout(resolve, 20));
      return clean(proposal);
    });
    await using t = await openAgent([[delayUntil(hold.promise), text("one")], text("two"), text("three")], {
      plugins: [slow],
    });
    const { turn } = await t.agent.send("go");
    const queued = await Promise.all(["first blue", "second blue"].map((words) => t.agent.send(words)));
    expect(t.session.projection("queue").map(({ message }) => message.content)).toEqual(["first ____", "second ____"]);
    await t.agent.rewriteQueue([
      { id: queued[0]!.id, message: { role: "user", content: "other blue", timestamp: 0 } },
      { id: queued[1]!.id },
    ]);
    hold.open();
    await turn;
    await t.agent.waitForIdle();
    expect(JSON.stringify(t.stored())).not.toContain("blue");
  });

  it("does not change what is shown while a reply arrives", async () => {
    await using t = await openAgent([text("It is blue.")], { plugins: [layer("clean", clean)] });
    await (await t.agent.send("go")).turn;
    const deltas = (await t.heard()).filter(({ type }: any) => type === "text_delta") as any[];
    expect(deltas.map(({ delta }) => delta).join("")).toBe("It is blue.");
  });

  it("of a critical layer that fails stores nothing of the message", async () => {
    await using t = await openAgent([], { plugins: [layer("guard", fails, { critical: true })] });
    await expect(t.agent.send("a blue secret")).rejects.toThrow("the patterns cannot be read");
    expect([JSON.stringify(t.stored()).includes("blue"), t.server.requests]).toEqual([false, []]);
  });

  it("of a critical layer that fails ends the turn without the reply, and replaces a result by a notice", async () => {
    const on = (role: string) =>
      layer("guard", ({ message }) => (message.role === role ? fails() : undefined), { critical: true });
    await using reply = await openAgent([text("It is blue.")], { plugins: [on("assistant")] });
    const failed = await (await reply.agent.send("go")).turn;
    expect([failed.reason, failed.error?.code, JSON.stringify(reply.stored()).includes("blue")]).toEqual([
      "error",
      "HOOK_CRITICAL",
      false,
    ]);
    await using result = await openAgent([toolCall("echo", { word: "red" }), text("done")], {
      tools: [tool("echo", async () => ({ ...says("It is blue."), details: { word: "blue" } }))],
      plugins: [on("tool_result")],
    });
    expect((await (await result.agent.send("go")).turn).reason).toBe("completed");
    expect(JSON.stringify(result.stored())).not.toContain("blue");
    expect(result.server.requests[1]?.text).toContain("The result was not stored, because a plugin");
  });

  it("that refuses a reply keeps its cost in the log", async () => {
    const guard = layer("guard", ({ message }) => (message.role === "assistant" ? fails() : undefined), {
      critical: true,
    });
    await using t = await openAgent([[text("It is blue."), usage({ input: 10, output: 5 })]], { plugins: [guard] });
    const outcome = await (await t.agent.send("go")).turn;
    const spent = t.stored().flatMap(({ kind, data }: any) => (kind === "spent" ? data : []));
    expect(spent).toEqual([{ hidden: true, model: "local/m1", usage: outcome.usage }]);
    expect(outcome.usage.totalTokens).toBe(15);
  });

  it.each([
    ["another field", () => ({ text: "x" })],
    ["content that is no content", () => ({ content: 7 })],
    ["an image without data", () => ({ content: [{ type: "image", mimeType: "image/png" }] })],
  ])("%s is reported, and the message is stored as it is", async (_name, handler) => {
    await using t = await openAgent([text("ok")], { plugins: [layer("broken", handler)] });
    expect((await (await t.agent.send("blue")).turn).reason).toBe("completed");
    expect(t.kernel.failures.map(({ plugin, code }) => [plugin, code])[0]).toEqual(["broken", "AGENT_HOOK_ANSWER"]);
  });

  it("cannot drop or rename the calls of a reply", async () => {
    const dropping = layer("drop", ({ message }) =>
      message.role === "assistant" ? { content: "no calls" } : undefined,
    );
    await using t = await openAgent([toolCall("echo", { word: "red" })], { tools: [echo], plugins: [dropping] });
    expect((await (await t.agent.send("go")).turn).error?.message).toContain("keeps the ids and names of its calls");
  });
});
