import { type AnyEvent, definePlugin, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import { describe, expect, it } from "vitest";
import { testHeader } from "../../harness.ts";
import { cut, delayUntil, finish, gate, hang, status, text, thinking, toolCall } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

const begin = ['session_info {"model":"local/m1"}', "message user: go", "runtime_start", "prompt_submit go"];
const isText = (event: { type: string }) => event.type === "text_delta";

// Where the order differs from pi's, docs/decisions/0011 explains why.
describe("a turn emits its events", () => {
  it("from the prompt to the end", async () => {
    await using t = await openAgent([text("Hello there.", 5)]);
    const { status: where, turn } = await t.agent.send("go");
    expect(where).toBe("started");
    expect(await turn).toMatchObject({ reason: "completed", text: "Hello there.", stopReason: "stop" });
    expect(await t.story()).toEqual([
      ...begin,
      "turn_start 0",
      "message_start",
      "text_delta Hello there.",
      "message assistant: Hello there.",
      "turn_end 0 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
  });

  it("with the results of two tools in the order in which they end, but in call order for the model", async () => {
    const slow = gate();
    const tools = [
      tool("a", () => slow.promise.then(() => says("A")), { access: () => "read" }),
      tool("b", async () => says("B"), { access: () => "read" }),
    ];
    await using t = await openAgent([[toolCall("a", { n: 1 }), toolCall("b", {})], text("done")], { tools });
    const ended = t.next(({ type, toolName }) => type === "tool_execution_end" && toolName === "b");
    const { turn } = await t.agent.send("go");
    await ended;
    slow.open();
    expect(await turn).toMatchObject({ reason: "completed", text: "done", usage: { totalTokens: 30 } });
    expect(await t.story()).toEqual([
      ...begin,
      "turn_start 0",
      "message_start",
      'tool_call_delta a: {"n":1}b: {}',
      "message assistant: <a> <b>",
      'tool_execution_start a {"n":1}',
      "tool_execution_start b {}",
      "message tool_result: B",
      "tool_execution_end b",
      "message tool_result: A",
      "tool_execution_end a",
      "turn_end 0 toolUse",
      "turn_start 1",
      "message_start",
      "text_delta done",
      "message assistant: done",
      "turn_end 1 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
    const sent = t.server.requests[1]?.body.messages as { role: string; content: string }[];
    expect(sent.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual(["A", "B"]);
  });

  it("when it is cancelled inside the text, which is kept", async () => {
    await using t = await openAgent([[text("Hello wor"), hang()]]);
    const streaming = t.next(isText);
    const { turn } = await t.agent.send("go");
    await streaming;
    expect(await t.agent.cancel()).toBe(true);
    expect(await turn).toMatchObject({ reason: "cancelled", text: "Hello wor", stopReason: "aborted" });
    expect(await t.story()).toEqual([
      ...begin,
      "turn_start 0",
      "message_start",
      "text_delta Hello wor",
      "message assistant partial: Hello wor",
      "turn_end 0 aborted",
      "turn_finish",
      "runtime_end cancelled",
    ]);
  });

  it("when it is cancelled before any text, and keeps nothing", async () => {
    await using t = await openAgent([[toolCall("a", '{"n": 1', { upTo: 4 }), hang()]]);
    const streaming = t.next(({ type, delta }) => type === "tool_call_delta" && delta !== "");
    const { turn } = await t.agent.send("go");
    await streaming;
    t.agent.abort();
    expect(await turn).toMatchObject({ reason: "cancelled", text: "" });
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "message_start",
      'tool_call_delta a: {"n"',
      "message_cancelled user_cancel",
      "turn_end 0 aborted",
      "turn_finish",
      "runtime_end cancelled",
    ]);
  });

  it("when it is cancelled during a tool, keeping the tool's last output, without another model call", async () => {
    const tools = [
      tool("work", (_id, _params, _signal, update) => {
        update?.(says("half done"));
        return new Promise(() => {});
      }),
    ];
    await using t = await openAgent([toolCall("work", {})], { tools });
    const updated = t.next(({ type }) => type === "tool_execution_update");
    const { turn } = await t.agent.send("go");
    await updated;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "message_start",
      "tool_call_delta work: {}",
      "message assistant: <work>",
      "tool_execution_start work {}",
      "tool_execution_update",
      "message tool_result: work was cancelled before it finished. Its output so far:\nhalf done",
      "tool_execution_end work error",
      "turn_end 0 toolUse",
      "turn_finish",
      "runtime_end cancelled",
    ]);
    expect(t.server.requests).toHaveLength(1);
  });

  it("when the provider refuses the request", async () => {
    await using t = await openAgent([status(529, { error: { message: "overloaded" } })]);
    const { turn } = await t.agent.send("go");
    const outcome = await turn;
    expect(outcome).toMatchObject({ reason: "error", stopReason: "error", text: "", error: { code: "AGENT_MODEL" } });
    expect(outcome.error?.message).toContain("overloaded");
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "message_start",
      "message_cancelled error",
      "turn_end 0 error",
      "turn_failed AGENT_MODEL",
      "turn_error AGENT_MODEL",
      "runtime_end error",
    ]);
    expect(t.server.requests).toHaveLength(1);
  });

  it("when a turn has failed, whose reason is stored, but not sent to the model", async () => {
    const refused = status(400, { error: { message: "no such model" } });
    await using t = await openAgent([refused, text("ok")]);
    const sent = await t.agent.send("go", { messageId: "one" });
    const { reason, error, stopReason, leafId } = await sent.turn;
    const failed = t.stored().at(-1) as StoredEvent;
    expect(failed).toMatchObject({ type: "turn_failed", parentId: sent.id, error });
    expect(t.session.display(failed)).toEqual({ display: "notice", level: "error", text: error?.message });
    const announced = (await t.heard()).find(({ type }) => type === "turn_error") as AnyEvent;
    expect(t.session.display(announced)).toEqual({ display: "hidden" });

    await using second = await openAgent([], { kernel: { store: createMemoryStore(testHeader, t.stored()) } });
    const again = await second.agent.send("go", { messageId: "one" });
    expect(await again.turn).toMatchObject({ reason, error, stopReason, leafId });

    await (await t.agent.send("again")).turn;
    expect(t.server.requests[1]?.body.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "user", content: "again" },
    ]);
  });

  it("when the connection breaks after some text, which is kept and sent to the model later", async () => {
    await using t = await openAgent([[text("Half a "), cut()], text("whole")]);
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "error", text: "Half a " });
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "message_start",
      "text_delta Half a ",
      "message assistant partial: Half a ",
      "turn_end 0 error",
      "turn_failed AGENT_MODEL",
      "turn_error AGENT_MODEL",
      "runtime_end error",
    ]);
    await (await t.agent.send("again")).turn;
    expect(t.server.requests[1]?.body.messages).toMatchObject([
      { role: "user", content: "go" },
      { role: "assistant", content: "Half a " },
      { role: "user", content: "again" },
    ]);
  });

  it("with a steering message as the user's own words after the batch in which it arrived", async () => {
    const working = gate();
    const tools = [tool("work", () => working.promise.then(() => says("worked")))];
    await using t = await openAgent([toolCall("work", {}), text("steered")], { tools });
    const started = t.next(({ type }) => type === "tool_execution_start");
    const { turn } = await t.agent.send("go");
    await started;
    const sent = await t.agent.send("use the other file", { running: "steer" });
    expect(sent.status).toBe("queued");
    working.open();
    expect(await sent.turn).toEqual(await turn);
    expect((await t.story()).slice(begin.length + 4)).toEqual([
      "tool_execution_start work {}",
      "queue_update 1",
      "message tool_result: worked",
      "tool_execution_end work",
      "turn_end 0 toolUse",
      "message user: use the other file",
      "turn_start 1",
      "message_start",
      "text_delta steered",
      "message assistant: steered",
      "turn_end 1 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
    expect(t.server.requests[1]?.body.messages.slice(-2)).toMatchObject([
      { role: "tool", content: "worked" },
      { role: "user", content: "use the other file" },
    ]);
  });

  it("with a follow-up when the agent would rest, in the same turn", async () => {
    const answering = gate();
    await using t = await openAgent([[delayUntil(answering.promise), text("one")], text("two")]);
    const { turn } = await t.agent.send("go");
    const sent = await t.agent.send("and then");
    expect(sent.status).toBe("queued");
    answering.open();
    expect(await sent.turn).toEqual(await turn);
    expect((await turn).text).toBe("two");
    const told = (await t.story()).filter((line) => /^(message |turn_|runtime)/.test(line));
    expect(told).toEqual([
      "message user: go",
      "runtime_start",
      "turn_start 0",
      "message assistant: one",
      "turn_end 0 stop",
      "message user: and then",
      "turn_start 1",
      "message assistant: two",
      "turn_end 1 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
  });

  it("with thinking before the text", async () => {
    await using t = await openAgent([[thinking("Hm, well.", 4), text("Yes.")]]);
    await (await t.agent.send("go")).turn;
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "message_start",
      "thinking_delta Hm, well.",
      "text_delta Yes.",
      "message assistant: [thinking] Yes.",
      "turn_end 0 stop",
      "turn_finish",
      "runtime_end completed",
    ]);
  });

  it("with a blocked call and one with wrong arguments, each answered before the valid one runs", async () => {
    const guard = extension("guard", {
      hooks: () => ({
        beforeToolCall: ({ toolCall: { name } }) => (name === "a" ? { block: true, reason: "Not a." } : undefined),
      }),
    });
    const strict = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const tools = [
      tool("a", async () => says("A")),
      tool("b", async () => says("B"), { parameters: strict }),
      tool("c", async () => says("C")),
    ];
    const calls = [toolCall("c", {}), toolCall("a", {}), toolCall("b", { n: "x" })];
    await using t = await openAgent([calls, text("done")], { tools, plugins: [guard] });
    await (await t.agent.send("go")).turn;
    expect((await t.story()).slice(begin.length + 3, -7)).toEqual([
      "message assistant: <c> <a> <b>",
      "tool_execution_start c {}",
      "tool_execution_start a {}",
      "message tool_result: Not a.",
      "tool_execution_end a error",
      'tool_execution_start b {"n":"x"}',
      expect.stringMatching(/^message tool_result: Validation failed for tool "b"/),
      "tool_execution_end b error",
      "message tool_result: C",
      "tool_execution_end c",
      "turn_end 0 toolUse",
    ]);
  });

  it("with exclusive tools one after the other, in source order", async () => {
    const running: string[] = [];
    const alone = (name: string) =>
      tool(name, async () => {
        running.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        running.push(`${name} ends`);
        return says(name.toUpperCase());
      });
    const script = [[toolCall("a", {}), toolCall("b", {})], text("done")];
    await using t = await openAgent(script, { tools: [alone("a"), alone("b")] });
    await (await t.agent.send("go")).turn;
    expect(running).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    expect((await t.story()).filter((line) => /^(tool_execution|message tool)/.test(line))).toEqual([
      "tool_execution_start a {}",
      "tool_execution_start b {}",
      "tool_execution_state waiting",
      "message tool_result: A",
      "tool_execution_end a",
      "tool_execution_state running",
      "message tool_result: B",
      "tool_execution_end b",
    ]);
  });

  it("that say when a call runs that a person was asked about, and how long it ran", async () => {
    const answered = gate();
    const guard = extension("guard", { hooks: () => ({ approveToolCall: () => ({ ask: "it deploys" }) }) });
    const approver = definePlugin({
      id: "asks",
      name: "Asks",
      version: "1.0.0",
      provides: ["approver"],
      activate: (ctx) => ctx.provide("approver", { ask: () => answered.promise.then(() => undefined) }),
    });
    const tools = [tool("a", async () => says("A"))];
    await using t = await openAgent([[toolCall("a", {})], text("done")], { tools, plugins: [guard, approver] });
    const announced = t.next(({ type }) => type === "tool_execution_start");
    const ended = t.next(({ type }) => type === "tool_execution_end");
    const { turn } = await t.agent.send("go");
    await announced;
    const waitMs = 60;
    const asked = performance.now();
    while (performance.now() - asked < waitMs) await new Promise((resolve) => setImmediate(resolve));
    answered.open();
    await turn;
    const { durationMs } = await ended;
    expect(performance.now() - asked - durationMs).toBeGreaterThanOrEqual(waitMs);
    expect((await t.story()).filter((line) => line.startsWith("tool_execution"))).toEqual([
      "tool_execution_start a {}",
      "tool_execution_state running",
      "tool_execution_end a",
    ]);
  });

  it("when it is cancelled while one tool runs, and a waiting one never starts", async () => {
    const runs: string[] = [];
    const begun = gate();
    const tools = [
      tool("a", () => {
        runs.push("a");
        begun.open();
        return new Promise(() => {});
      }),
      tool("b", async () => {
        runs.push("b");
        return says("B");
      }),
    ];
    await using t = await openAgent([[toolCall("a", {}), toolCall("b", {})]], { tools });
    const { turn } = await t.agent.send("go");
    await begun.promise;
    await t.agent.cancel();
    expect(await turn).toMatchObject({ reason: "cancelled" });
    expect(runs).toEqual(["a"]);
    expect((await t.story()).filter((line) => line.startsWith("tool_execution_end"))).toEqual([
      // The tool of the other call may still send its last update.
      "tool_execution_end b error",
      "tool_execution_end a error",
    ]);
    expect(t.server.requests).toHaveLength(1);
  });

  it("when it is cancelled before the model was called", async () => {
    await using t = await openAgent([text("never")]);
    const began = t.next(({ type }) => type === "runtime_start");
    const { turn } = await t.agent.send("go");
    t.agent.abort();
    await began;
    expect(await turn).toMatchObject({ reason: "cancelled", text: "" });
    expect((await t.story()).slice(begin.length)).toEqual([
      "turn_start 0",
      "turn_end 0 aborted",
      "turn_finish",
      "runtime_end cancelled",
    ]);
  });

  it("when the reply reached the output limit inside a text, which is kept", async () => {
    await using t = await openAgent([[text("Once upon a"), finish("length")]]);
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", stopReason: "length" });
    expect((await t.story()).slice(-4)).toEqual([
      "message assistant partial: Once upon a",
      "turn_end 0 length",
      "turn_finish",
      "runtime_end completed",
    ]);
  });

  it("with all steering messages together, and follow-ups one by one", async () => {
    const working = gate();
    const tools = [tool("work", () => working.promise.then(() => says("worked")))];
    const script = [toolCall("work", {}), text("steered"), text("one"), text("two")];
    await using t = await openAgent(script, { tools });
    const started = t.next(({ type }) => type === "tool_execution_start");
    const { turn } = await t.agent.send("go");
    await started;
    await t.agent.send("first");
    await t.agent.send("this way", { running: "steer" });
    await t.agent.send("second");
    await t.agent.send("and quickly", { running: "steer" });
    working.open();
    await turn;
    const told = (await t.story()).filter((line) => /^(message |turn_start)/.test(line));
    expect(told.slice(2)).toEqual([
      "message assistant: <work>",
      "message tool_result: worked",
      "message user: this way",
      "message user: and quickly",
      "turn_start 1",
      "message assistant: steered",
      "message user: first",
      "turn_start 2",
      "message assistant: one",
      "message user: second",
      "turn_start 3",
      "message assistant: two",
    ]);
  });

  it("with messages queued before the turn right after the message that starts it", async () => {
    await using t = await openAgent([text("ok")]);
    t.agent.steer("be brief");
    await (await t.agent.send("go")).turn;
    const told = (await t.story()).filter((line) => /^(message |turn_start)/.test(line));
    expect(told).toEqual(["message user: go", "turn_start 0", "message user: be brief", "message assistant: ok"]);
    expect(t.server.requests[0]?.body.messages).toMatchObject([{ content: "go" }, { content: "be brief" }]);
  });

  it("to its end when every tool of a batch says to terminate", async () => {
    const tools = [tool("done", async () => ({ ...says("bye"), terminate: true }))];
    await using t = await openAgent([toolCall("done", {})], { tools });
    expect(await (await t.agent.send("go")).turn).toMatchObject({ reason: "completed", stopReason: "toolUse" });
    expect((await t.story()).slice(-5)).toEqual([
      "message tool_result: bye",
      "tool_execution_end done",
      "turn_end 0 toolUse",
      "turn_finish",
      "runtime_end completed",
    ]);
  });
});
