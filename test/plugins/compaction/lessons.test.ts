import { type AssistantMessage, type Context, createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import compaction from "@scorel/compaction";
import type { Session } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { delayUntil, gate, type Reply, status, text, toolCall, usage } from "../../model-server.ts";
import { extension, fakeModel, openAgentWith, says, tool } from "../agent/setup.ts";
import { asksForSummary, openCompacting, playing, saidIn, tokensOf, words } from "./setup.ts";

const compacts = ({ tree }: Session) => [...tree.ofType("compact")];
const filling = ["a", "b", "c"].map((mark) => text(words(2_400, mark)));
const tooLong = status(400, { error: { message: "prompt is too long: 213462 tokens > 200000 maximum" } });
const user = (content: any) => ({ message: { role: "user" as const, content, timestamp: 0 } });

/** Each of these cases was a bug that users of another agent met. */
describe("a rate limit", () => {
  it("that mentions too many tokens is retried after a wait, without compaction", async () => {
    const limited = status(429, { error: { message: "Too many tokens, please wait before trying again." } });
    await using t = await openCompacting(
      playing([text("one"), limited, text("two")], () => text("never")),
      { config: { retries: 1 } },
    );
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ text: "two" });
    expect(compacts(t.session)).toEqual([]);
  });
});

describe("a conversation that the model rejects as too long", () => {
  it("is compacted and sent again once for each user message, then fails", async () => {
    const answers = [text("one"), text("two"), tooLong, tooLong, text("three")];
    await using t = await openCompacting(playing(answers, (_request, count) => text(`S${count + 1}`)));
    for (const said of ["first", "second"]) await t.agent.prompt(said);
    const failed = await (await t.agent.send("third")).turn;
    expect(failed).toMatchObject({ reason: "error", error: { code: "AGENT_OVERFLOW" } });
    expect(t.server.requests.map(asksForSummary)).toEqual([false, false, false, true, false]);
    expect(compacts(t.session)).toHaveLength(1);
    expect(await (await t.agent.send("fourth")).turn).toMatchObject({ text: "three" });
  });

  it("continues after one compaction, also when the real window is smaller than configured", async () => {
    await using t = await openCompacting(
      playing([text(words(2_000)), text(words(2_000)), tooLong, text("three")], () => text("S1")),
      { model: { contextWindow: 1_000_000 } },
    );
    for (const said of ["first", "second"]) await t.agent.prompt(said);
    expect(await (await t.agent.send("third")).turn).toMatchObject({ reason: "completed", text: "three" });
    expect(saidIn(t.server.requests.at(-1)!)).toEqual([expect.stringContaining("S1"), "user: third"]);
    const [refused, asked] = t.server.requests.slice(2).map(tokensOf) as [number, number];
    expect(asked).toBeLessThan(0.7 * refused);
  });

  it("fails when nothing can be removed, or when the layer is off", async () => {
    await using t = await openCompacting(playing([tooLong], () => text("never")));
    expect(await (await t.agent.send("only")).turn).toMatchObject({ error: { code: "AGENT_OVERFLOW" } });
    await using off = await openCompacting(
      playing([text("one"), tooLong], () => text("never")),
      { compaction: { layers: [] } },
    );
    await off.agent.prompt("first");
    expect(await (await off.agent.send("second")).turn).toMatchObject({ error: { code: "AGENT_OVERFLOW" } });
    expect([...t.server.requests, ...off.server.requests].filter(asksForSummary)).toEqual([]);
  });

  it("is reported when a single round is too long", async () => {
    const tools = [tool("look", async () => says(words(6_000)))];
    await using t = await openCompacting(
      playing([toolCall("look", {}), tooLong, text("done")], () => text("S1")),
      { tools, compaction: { threshold: 0.95 } },
    );
    expect(await (await t.agent.send("look at it")).turn).toMatchObject({ text: "done" });
    expect(saidIn(t.server.requests.at(-1)!)).toEqual([expect.stringMatching(/S1.*> look at it/s)]);
  });

  it("is not compacted for the next model because of the previous model's limit", async () => {
    let current = fakeModel;
    const { answer, asked } = answering(() => {
      if (asked.length !== 2) return "ok";
      current = { ...fakeModel, id: "larger", contextWindow: 1_000_000 };
      return new Error("prompt is too long: 9000 tokens > 8000 maximum");
    });
    await using t = await openSwitching(() => current, answer);
    await t.agent.prompt("first");
    expect(await (await t.agent.send("second")).turn).toMatchObject({ reason: "completed" });
    expect([compacts(t.session).length, asked.length]).toEqual([0, 3]);
  });
});

describe("reported usage", () => {
  it("from before a compaction does not trigger the next one", async () => {
    await using t = await openCompacting(playing([...filling, text("ok"), text("ok"), text("ok")], () => text("S1")));
    for (const said of ["one", "two", "three", "four", "five", "six"]) await t.agent.prompt(said);
    expect(t.server.requests.filter(asksForSummary)).toHaveLength(1);
  });

  it("of the last good reply counts, plus an estimate of what follows, when later calls fail", async () => {
    const refused = status(400, { error: { message: "no" } });
    await using t = await openCompacting(
      playing([text(words(2_000)), refused, refused, refused, text("done")], () => text("S1")),
    );
    await t.agent.prompt("one");
    for (const mark of ["a", "b", "c"])
      expect(await (await t.agent.send(words(1_500, mark))).turn).toMatchObject({ reason: "error" });
    expect(await (await t.agent.send(words(1_000))).turn).toMatchObject({ text: "done" });
    expect(compacts(t.session)).toHaveLength(1);
  });

  it("of one model is compared with the window of the next", async () => {
    let current = { ...fakeModel, contextWindow: 1_000_000 };
    const { answer } = answering(() => words(2_500));
    await using t = await openSwitching(() => current, answer);
    for (const said of ["one", "two", "three"]) await t.agent.prompt(said);
    expect(compacts(t.session)).toEqual([]);
    current = { ...fakeModel, id: "smaller" };
    await t.agent.prompt("four");
    expect(compacts(t.session)).toHaveLength(1);
  });

  it("is estimated when missing, dense scripts by their bytes", async () => {
    await using t = await openCompacting(() => [text("好".repeat(3_300)), usage({ input: 0, output: 0 })]);
    for (const said of ["one", "two", "three"]) await t.agent.prompt(said);
    expect(t.agent.contextTokens()).toBeGreaterThan(7_000);
  });
});

describe("a second compaction", () => {
  it("starts at what the first one kept, so that nothing is lost in between", async () => {
    const replies = [...filling, ...filling, text("done")];
    await using t = await openCompacting(playing(replies, (_request, count) => text(`S${count}`)));
    for (let turn = 0; turn < 7; turn++) await t.agent.prompt(`turn ${turn}`);
    const prompts = t.server.requests.filter(asksForSummary).map(({ body }) => String(body.messages.at(-1).content));
    const summed = prompts.flatMap((prompt) => [...prompt.matchAll(/^> turn (\d)$/gm)].map(([, at]) => Number(at)));
    const kept = saidIn(t.server.requests.at(-1)!).flatMap((line) => /^user: turn (\d)$/.exec(line)?.[1] ?? []);
    expect([...summed, ...kept.map(Number)]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe("extensions and compaction", () => {
  it("work together: a failing layer is skipped, and the summary is written once", async () => {
    const broken = extension("broken", {
      hooks: () => ({
        transformContext: () => {
          throw new Error("broken");
        },
      }),
    });
    const adding = extension("adding", {
      hooks: () => ({
        transformContext: (messages: any) => [...messages, { role: "user", content: "added", timestamp: 0 }],
      }),
    });
    await using t = await openCompacting(
      playing([...filling, text("done")], () => text("S1")),
      { plugins: [broken, adding] },
    );
    for (const said of ["one", "two", "three", "four"]) await t.agent.prompt(said);
    expect(compacts(t.session)).toHaveLength(1);
    expect(saidIn(t.server.requests.at(-1)!).at(-1)).toBe("user: added");
  });

  it("unload without leaving anything behind", async () => {
    await using t = await openCompacting(playing([...filling, text("done")], () => text("never")));
    await t.kernel.unload("compaction");
    for (const said of ["one", "two", "three", "four"]) await t.agent.prompt(said);
    expect(t.server.requests.filter(asksForSummary)).toEqual([]);
    expect(Object.keys(t.kernel.census()).filter((name) => name.includes("compact"))).toEqual(["event compact"]);
  });
});

describe("a session that closes", () => {
  it("ends a compaction at once, and leaves the conversation unchanged", async () => {
    const begun = gate();
    const summary = () => {
      begun.open();
      return delayUntil(new Promise(() => {}));
    };
    const t = await openCompacting(playing([...filling, text("done")], summary));
    for (const said of ["one", "two", "three"]) await t.agent.prompt(said);
    const { turn } = await t.agent.send("four");
    await begun.promise;
    await t[Symbol.asyncDispose]();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(t.stored().filter(({ type }) => type === "compact")).toEqual([]);
    expect(await t.server.requests.at(-1)?.over).toBe("gone");
  });
});

describe("a batch of calls", () => {
  it("stays whole in a compaction, also with steering and a layer after a failed call", async () => {
    const work = tool("work", async (_id, { at }: any) => {
      if (at === 1) await t.agent.send("hurry", { running: "steer" });
      return says(words(1_200, `${at}`));
    });
    const broken = extension("broken", {
      hooks: () => ({
        afterToolCall: () => {
          throw new Error("broken");
        },
      }),
    });
    const batch: Reply = [0, 1, 2].map((at) => toolCall("work", { at }));
    await using t = await openCompacting(
      playing([text(words(2_000)), text(words(2_000)), batch, text("done")], () => text("S1")),
      { tools: [work], plugins: [broken] },
    );
    for (const said of ["one", "two", "three"]) await t.agent.prompt(said);
    const last = t.server.requests.at(-1)!.body.messages;
    expect(compacts(t.session)).toHaveLength(1);
    expect(last.filter(({ role }: any) => role === "tool")).toHaveLength(3);
    expect(saidIn(t.server.requests.at(-1)!).at(-1)).toContain("hurry");
  });
});

describe("images", () => {
  const image = { type: "image" as const, data: "aGk=".repeat(20_000), mimeType: "image/png" };

  it("count as tokens by their number, and are not part of summaries", async () => {
    await using t = await openCompacting(
      playing([text("done")], () => text("S1")),
      { model: { input: ["text", "image"] } },
    );
    for (let at = 0; at < 6; at++)
      await t.session.append("message", user([{ type: "text", text: `picture ${at}` }, image]));
    expect(t.agent.contextTokens()).toBeGreaterThan(7_200);
    await t.agent.prompt("go");
    const [request] = t.server.requests.filter(asksForSummary);
    expect(request?.text).not.toContain("aGk=aGk=");
    expect(request?.text).toContain("> picture 0\\n> [image]");
  });
});

describe("a long conversation", () => {
  it("of 130,000 messages is compacted without a stack overflow", { timeout: 60_000 }, async () => {
    await using t = await openCompacting(playing([text("done")], () => text("S1")));
    for (let at = 0; at < 130; at++)
      await t.session.appendAll(
        Array.from({ length: 1_000 }, (_, n) => ({
          type: "message" as const,
          payload: user(`message ${at * 1_000 + n}`),
        })),
      );
    expect(await (await t.agent.send("go")).turn).toMatchObject({ text: "done" });
    const [request] = t.server.requests.filter(asksForSummary) as [any];
    expect(tokensOf(request)).toBeLessThan(8_500);
    expect(tokensOf(t.server.requests.at(-1)!)).toBeLessThan(8_500);
  });
});

/** A stream function whose replies are the results of `say`: a text or an error. Also the messages of all requests. */
function answering(say: () => string | Error) {
  const asked: Context[] = [];
  const answer = (context: Context) => {
    asked.push(context);
    const said = say();
    const failed = said instanceof Error;
    const message = {
      ...fakeModel,
      role: "assistant",
      model: "fake",
      content: failed ? [] : [{ type: "text", text: said }],
      usage: {
        ...none,
        input: failed ? 0 : Math.ceil(JSON.stringify(context.messages).length / 4),
        output: failed ? 0 : said.length / 4,
      },
      stopReason: failed ? "error" : "stop",
      timestamp: 0,
      ...(failed && { errorMessage: said.message }),
    } as unknown as AssistantMessage;
    const stream = createAssistantMessageEventStream();
    stream.push({ type: "start", partial: message });
    stream.push(
      failed ? { type: "error", reason: "error", error: message } : { type: "done", reason: "stop", message },
    );
    return stream;
  };
  return { answer, asked };
}
const none = noUsage();

/** Opens an agent whose model can change. */
function openSwitching(current: () => typeof fakeModel, stream: ReturnType<typeof answering>["answer"]) {
  const model = { current, stream, named: async () => model } as never;
  return openAgentWith(stream, { plugins: [{ plugin: compaction }], kernel: { services: { model } } });
}
