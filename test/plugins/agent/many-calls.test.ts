import { getEventListeners } from "node:events";
import { type ConvertContext, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import type { ToolResultMessage } from "@scorel/messages/contract";
import { describe, expect, it } from "vitest";
import { contextTokens } from "../../../plugins/agent/turn/usage.ts";
import { Claims } from "../../../plugins/coding/claims.ts";
import { displayMessage } from "../../../plugins/messages/display.ts";
import { gate, text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "./setup.ts";

const calls = (count: number) =>
  Array.from({ length: count }, (_, at) => toolCall("echo", { at }, { id: `call_${at}` }));
const echo = tool("echo", async (_id, { at }: any) => says(`echo ${at}`), { access: () => "read" });
const results = (stored: readonly any[]) =>
  stored.flatMap(({ message }) => (message?.role === "tool_result" ? [message as ToolResultMessage] : []));

describe("a reply with more calls than the limit", () => {
  it("runs the first ones, and answers the others so that the model can repeat them", async () => {
    await using a = await openAgent([calls(5), text("done")], { tools: [echo], config: { callsPerReply: 3 } });
    await a.agent.prompt("go");
    const refused =
      'The call of "echo" was not run: the reply contains 5 calls, and only the first 3 are run. Make this call in a later reply, with fewer calls at once.';
    expect(results(a.stored()).map(({ toolCallId, content, isError }) => [toolCallId, content, isError])).toEqual([
      ["call_3", [{ type: "text", text: refused }], true],
      ["call_4", [{ type: "text", text: refused }], true],
      ["call_0", [{ type: "text", text: "echo 0" }], false],
      ["call_1", [{ type: "text", text: "echo 1" }], false],
      ["call_2", [{ type: "text", text: "echo 2" }], false],
    ]);
    const answered = a.server.requests[1]?.body.messages.filter(({ role }: any) => role === "tool");
    expect(answered.map(({ tool_call_id, content }: any) => [tool_call_id, content])).toEqual([
      ["call_0", "echo 0"],
      ["call_1", "echo 1"],
      ["call_2", "echo 2"],
      ["call_3", refused],
      ["call_4", refused],
    ]);
  });
});

describe("a reply of many calls", () => {
  const many = 400;

  it("runs several at the same time, with a single abort listener", async () => {
    let running = 0;
    let most = 0;
    let listeners = 0;
    const full = gate();
    const slow = tool(
      "echo",
      async (_id, { at }: any) => {
        running++;
        most = Math.max(most, running);
        listeners = Math.max(listeners, getEventListeners(a.agent.signal as AbortSignal, "abort").length);
        if (running === 64) full.open();
        await full.promise;
        running--;
        return says(`echo ${at}`);
      },
      { access: () => "read" },
    );
    await using a = await openAgent([calls(many), text("done")], { tools: [slow] });
    await a.agent.prompt("go");
    expect(results(a.stored())).toHaveLength(many);
    expect({ most, listeners: listeners < 10 }).toEqual({ most: 64, listeners: true });
  });

  it("reads each result event only a few times", async () => {
    await using a = await openAgent([calls(many), text("done")], { tools: [echo] });
    await a.agent.prompt("go");
    const path = [...a.session.tree.ancestors(a.session.activeLeaf as string)].reverse();
    const log = counted(path);
    const claims = new Claims(log.session);
    for (const [at, event] of path.entries()) {
      log.moveTo(at);
      contextTokens(log.session, () => 0);
      claims.claim(`call_${at}`, 1);
      claims.total();
      if (isEvent(event, "message") && event.message.role === "tool_result")
        displayMessage(event.message, event, log.context);
    }
    expect(log.reads).toBeLessThan(12 * path.length);
  });

  /** A session whose leaf is one event of a path, and which counts the events that are read. */
  function counted(path: readonly StoredEvent[]) {
    const byId = new Map(path.map((event) => [event.id, event]));
    const get = (id: string) => {
      log.reads++;
      return byId.get(id);
    };
    const parent = (id: string) => {
      const above = byId.get(id)?.parentId;
      return above ? get(above) : undefined;
    };
    function* ancestors(id: string) {
      for (let event = get(id); event; event = parent(event.id)) yield event;
    }
    const session = { activeLeaf: null as string | null, tree: { get, parent, ancestors } };
    const log = {
      reads: 0,
      session: session as unknown as Session,
      context: { get, find: () => undefined } as unknown as ConvertContext,
      moveTo: (at: number) => {
        session.activeLeaf = path[at]?.id ?? null;
      },
    };
    return log;
  }
});
