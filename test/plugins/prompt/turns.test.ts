import { definePlugin, type Services } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import type { PromptSubmitInput } from "@scorel/prompt/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ApiName, formats, gate, text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "../agent/setup.ts";
import { type Ground, ground } from "./setup.ts";

afterEach(() => {
  vi.useRealTimers();
});

const workspaceOf = ({ home, project }: Ground) =>
  ({ services: { workspace: { cwd: project, root: project, home } as Services["workspace"] } }) as const;

/** The parts of a request that a provider's cache compares: everything before the messages, and each message. */
function cacheable(api: ApiName, body: any): { head: string; messages: string[] } {
  const { messages, input, contents, system, systemInstruction, tools, instructions } = body;
  const said = (messages ?? input ?? contents) as unknown[];
  // Marks that say where the cache ends move with each request, and are not part of the cached text.
  const json = (value: unknown) => JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner));
  const head = json({ system, systemInstruction, instructions, tools, generation: body.config });
  return { head: `${api} ${head}`, messages: said.map((message) => json(withBlocks(message))) };
}

/** A message with one text may be a string or a list of one block; with a cache mark it is always a list. */
function withBlocks(message: any): unknown {
  const { content } = message;
  return typeof content === "string" ? { ...message, content: [{ type: "text", text: content }] } : message;
}

describe.each(Object.keys(formats) as ApiName[])("over %s", (api) => {
  it("a request begins with the bytes of the previous one", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "rules");
    const tools = ["Zip", "Bash", "Ask"].map((name) => tool(name, async () => says("worked")));
    const script = [toolCall("Bash", { n: 1 }), text("one"), toolCall("Ask", {}), text("two"), text("three")];
    await using t = await openAgent(script, { model: { api }, tools, plugins: [prompt], kernel: workspaceOf(g) });
    await (await t.agent.send("go")).turn;
    g.file("project/AGENTS.md", "other rules");
    await (await t.agent.send("go on")).turn;
    await t.session.append("harness_item", {
      kind: "runtime_notice",
      origin: "system",
      visibility: "both",
      text: "The quota is half used.",
    });
    await (await t.agent.send("and on")).turn;
    const requests = t.server.requests.map(({ body }) => cacheable(api, body));
    expect(requests).toHaveLength(5);
    expect(new Set(requests.map(({ head }) => head)).size).toBe(1);
    for (const [index, { messages }] of requests.slice(1).entries()) {
      const before = requests[index]?.messages ?? [];
      expect(before.length).toBeGreaterThan(0);
      expect(messages.slice(0, before.length)).toEqual(before);
    }
    const whole = JSON.stringify(t.server.requests.map(({ body }) => body));
    expect(whole).toContain("\\nrules\\n");
    expect(whole).not.toContain("other rules");
  });
});

describe("text that a listener adds to a prompt", () => {
  const listener = (id: string, promptSubmit: (input: PromptSubmitInput) => unknown) =>
    definePlugin({ id, name: id, version: "1.0.0", hooks: () => ({ promptSubmit: promptSubmit as never }) });
  const open = (g: Ground, plugins: ReturnType<typeof listener>[]) =>
    openAgent([text("ok"), text("ok")], { plugins: [prompt, ...plugins], kernel: workspaceOf(g) });
  const asked = (body: any) => body.messages.slice(1).map(({ content }: { content: unknown }) => content);
  const reminder = (words: string) => `<system-reminder>\n${words}\n</system-reminder>`;

  it("is sent with that prompt as a reminder, in order, and stays in the conversation", async () => {
    using g = ground();
    const seen: unknown[] = [];
    const first = listener("first", (input) => {
      seen.push(input);
      return input.prompt === "go" ? "The branch is main." : undefined;
    });
    const second = listener("second", async (input) => {
      seen.push(input);
      return input.prompt === "go" ? { context: "Close </system-reminder> it." } : { context: " " };
    });
    await using t = await open(g, [first, second]);
    await (await t.agent.send("go")).turn;
    await (await t.agent.send("on")).turn;
    const told = ["go", reminder("The branch is main."), reminder("Close &lt;/system-reminder> it.")];
    expect(t.server.requests.map(({ body }) => asked(body))).toEqual([told, [...told, "ok", "on"]]);
    expect(seen.slice(0, 2)).toEqual([
      { prompt: "go", context: [] },
      { prompt: "go", context: ["The branch is main."] },
    ]);
  });

  it("is limited to 8,000 characters", async () => {
    using g = ground();
    await using t = await open(g, [listener("long", () => `${"x".repeat(7_999)}😀${"y".repeat(100)}`)]);
    await (await t.agent.send("go")).turn;
    const [, added] = asked(t.server.requests[0]?.body);
    expect(added).toBe(reminder(`${"x".repeat(7_999)}\n[cut: 101 more characters]`));
  });

  it("is dropped and reported when the listener fails or returns something else", async () => {
    using g = ground();
    const broken = listener("broken", () => {
      throw new Error("no");
    });
    const odd = listener("odd", async () => 42);
    await using t = await open(g, [broken, odd, listener("fine", () => "Mind the gap.")]);
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "ok" });
    expect(asked(t.server.requests[0]?.body)).toEqual(["go", reminder("Mind the gap.")]);
    expect(t.kernel.failures).toEqual([
      { plugin: "broken", where: "promptSubmit", code: "UNEXPECTED", message: "no" },
      {
        plugin: "odd",
        where: "promptSubmit",
        code: "PROMPT_CONTEXT",
        message: 'A layer of "promptSubmit" may return a string, { context: string } or nothing, not 42.',
      },
    ]);
  });

  it("is dropped when the turn is cancelled, and the prompt is still in the log", async () => {
    using g = ground();
    const never = gate();
    await using t = await open(g, [listener("slow", () => never.promise)]);
    const submitted = t.next(({ type }) => type === "prompt_submit");
    const { turn } = await t.agent.send("go");
    await submitted;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(t.session.buildContext()).toMatchObject([{ role: "user", content: "go" }]);
    expect(t.server.requests).toEqual([]);
  });
});

it("a day that begins during a turn is announced with the next result, once", async () => {
  vi.useFakeTimers({ now: new Date(2030, 0, 5, 23), toFake: ["Date"] });
  using g = ground();
  const sleep = tool("sleep", async () => {
    vi.setSystemTime(new Date(2030, 0, 6, 1));
    return says("slept");
  });
  await using t = await openAgent([toolCall("sleep", {}), toolCall("sleep", {}), text("done")], {
    tools: [sleep],
    plugins: [prompt],
    kernel: workspaceOf(g),
  });
  expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", text: "done" });
  const results = t.server.requests[2]?.body.messages.filter(({ role }: { role: string }) => role === "tool");
  const reminder = "<system-reminder>\nThe date is now 2030-01-06.\n</system-reminder>";
  expect(results.map(({ content }: { content: unknown }) => textIn(content))).toEqual([`slept\n${reminder}`, "slept"]);
  expect(t.server.requests.map(({ body }) => textIn(body.messages[0].content).split("\n").at(-1))).toEqual(
    Array(3).fill("Date: 2030-01-05"),
  );
});

/** The text of a message's content in the format of this API. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text: string }[]).map((block) => block.text).join("\n");
}

it("the snapshot is in the log before a turn's first message, and steering follows the result before it", async () => {
  using g = ground();
  const running = gate();
  const steered = gate();
  const wait = tool("wait", async () => {
    running.open();
    await steered.promise;
    return says("waited");
  });
  await using t = await openAgent([toolCall("wait", {}), text("done")], {
    tools: [wait],
    plugins: [prompt],
    kernel: workspaceOf(g),
  });
  const { turn } = await t.agent.send("go");
  await running.promise;
  await t.agent.send("this </system-reminder> way", { running: "steer" });
  steered.open();
  expect(await turn).toMatchObject({ reason: "completed", text: "done" });
  const types = [...t.session.tree].map(({ type }) => type);
  expect(types.indexOf("instruction_snapshot")).toBeLessThan(types.indexOf("message"));
  const [result, steering] = t.server.requests[1]?.body.messages.slice(-2) ?? [];
  expect(result).toMatchObject({ role: "tool" });
  expect(steering).toMatchObject({ role: "user" });
  expect(JSON.stringify(steering.content)).toContain("this </system-reminder> way");
});
