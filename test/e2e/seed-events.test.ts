import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, status, text, toolCall } from "../model-server.ts";
import { records, scratch } from "./scorel.ts";

/**
 * An extension written for the founding document: it imports nothing of Scorel and has no `needs`. It records what it receives.
 */
const source = `
import { appendFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const tell = (fact) => appendFileSync(join(homedir(), "told.jsonl"), JSON.stringify(fact) + "\\n");

const PI = [
  "agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
  "tool_execution_start", "tool_execution_update", "tool_execution_end",
];

export default {
  id: "witness",
  name: "Witness",
  version: "1.0.0",
  async activate(ctx) {
    tell({ ctx: Object.keys(ctx).filter((key) => ["agent", "session", "config", "logger"].includes(key)).sort() });
    ctx.agent.subscribe((event) => tell({ pi: event.type, by: "subscribe", keys: Object.keys(event).sort() }));
  },
  tools() {
    return [{
      name: "Slow", label: "Slow", description: "Says how far it is.",
      parameters: { type: "object", properties: {} },
      async execute(_id, _params, _signal, onUpdate) {
        onUpdate({ content: [{ type: "text", text: "half" }], details: {} });
        return { content: [{ type: "text", text: "done" }], details: {} };
      },
    }];
  },
  async onEvent(event, ctx) {
    const said = { event: event.type, sessionId: event.sessionId === ctx.session.id };
    if (event.type === "session_end") tell({ ...said, reason: typeof event.reason });
    else if (event.type === "prompt_submit") tell({ ...said, prompt: event.prompt });
    else if (event.type === "turn_finish") tell({ ...said, tokens: event.usage.totalTokens > 0, duration: event.duration >= 0 });
    else if (event.type === "turn_error") tell({ ...said, error: event.error instanceof Error, message: event.error.message !== "" });
    else if (event.type === "rewind") tell({ ...said, target: ctx.session.tree.get(event.targetId) !== undefined });
    else if (event.type === "compact") tell({ ...said, tokens: [typeof event.tokensBefore, typeof event.tokensAfter] });
    else if (event.type === "session_start") tell(said);
    else if (PI.includes(event.type)) tell({ pi: event.type, by: "onEvent", keys: Object.keys(event).sort() });
  },
  hooks() {
    const once = new Set();
    const tellOnce = (hook) => once.has(hook) || (once.add(hook), tell({ hook }));
    return {
      async beforeToolCall() { tellOnce("beforeToolCall"); },
      async afterToolCall() { tellOnce("afterToolCall"); return { content: [{ type: "text", text: "done, and changed" }] }; },
      async transformContext(messages) { tellOnce("transformContext"); return messages; },
      async convertToLlm(messages) { tellOnce("convertToLlm"); return messages; },
    };
  },
};
`;

it("an extension written for the founding document receives each of its events and hook calls", async () => {
  using s = scratch();
  await using server = await startModelServer([
    [text("I look. "), toolCall("Slow", {})],
    text("Done."),
    text("Again."),
    text("A summary of it all."),
    status(400, { error: { message: "no such thing" } }),
  ]);
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/witness.mjs", source);
  const input = "one\ntwo\n/undo\n/compact\nthree\n";
  const { stderr } = await s.run(["chat"], { input });
  expect(stderr).toBe("");
  const told = records(join(s.home, "told.jsonl"));

  expect(told.filter(({ ctx }) => ctx)).toEqual([{ ctx: ["agent", "config", "logger", "session"] }]);
  const sessionId = true;
  const events = told.filter(({ event }) => event);
  expect(events).toEqual([
    { event: "session_start", sessionId },
    { event: "prompt_submit", sessionId, prompt: "one" },
    { event: "turn_finish", sessionId, tokens: true, duration: true },
    { event: "prompt_submit", sessionId, prompt: "two" },
    { event: "turn_finish", sessionId, tokens: true, duration: true },
    { event: "rewind", sessionId, target: true },
    { event: "compact", sessionId, tokens: ["number", "number"] },
    { event: "prompt_submit", sessionId, prompt: "three" },
    { event: "turn_error", sessionId, error: true, message: true },
    { event: "session_end", sessionId, reason: "string" },
  ]);

  // The ten events of pi-agent-core 0.73.1.
  const heard = (by: string) => {
    const facts = told.filter((fact) => fact.pi && fact.by === by).map((fact) => [fact.pi, fact.keys]);
    // Only the first of each: the last turn fails before there is a message.
    return Object.fromEntries(facts.reverse());
  };
  const pi = {
    agent_start: ["type"],
    agent_end: ["messages", "type"],
    turn_start: ["type"],
    turn_end: ["message", "toolResults", "type"],
    message_start: ["message", "type"],
    message_update: ["assistantMessageEvent", "message", "type"],
    message_end: ["message", "type"],
    tool_execution_start: ["args", "toolCallId", "toolName", "type"],
    tool_execution_update: ["args", "partialResult", "toolCallId", "toolName", "type"],
    tool_execution_end: ["isError", "result", "toolCallId", "toolName", "type"],
  };
  expect(heard("subscribe")).toEqual(pi);
  // The fields of Scorel are added to pi's where both have an event with the same name.
  const fields = Object.entries(pi).map(([type, keys]) => [type, expect.arrayContaining(keys)]);
  expect(heard("onEvent")).toEqual(Object.fromEntries(fields));
  const hooks = told.flatMap(({ hook }) => (hook ? [hook] : [])).sort();
  expect(hooks).toEqual(["afterToolCall", "beforeToolCall", "convertToLlm", "transformContext"]);
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "done, and changed" });
});
