import { connectHost, followSession, type HostMessage } from "@scorel/host/client";
import { expect, it } from "vitest";
import { fc, seed } from "../../property.ts";
import { wire } from "./wires.ts";

const welcome = {
  type: "welcome",
  protocol: 1,
  version: "9",
  instance: "i",
  clientId: "c",
  secret: "s",
  resumed: false,
};
const anchor = { epoch: "e", persistentSeq: 0, persistentId: null, activation: "a", streamSeq: -1 };
const status = { sessionId: "s", running: false, leafId: null, meta: {}, anchor, problems: [], notices: [] };
const begun = { mode: "full_reload", more: false, anchor, status };
const envelope = { sessionId: "s", clientId: "c", ts: 1 };
const note = { display: "notice", level: "info", text: "hello" };

/** Connects a client to a host whose messages are made by `answer`. */
async function hostedBy(answer: (message: { type: string; requestId: number }) => unknown[], first: unknown = welcome) {
  const dial = () => {
    const { near, far } = wire();
    let isGreeted = false;
    far.open({
      message: (text) => {
        const said = isGreeted ? answer(JSON.parse(text)) : [first];
        isGreeted = true;
        for (const each of said) far.send(typeof each === "string" ? each : JSON.stringify(each));
      },
      closed: () => {},
    });
    return near;
  };
  return connectHost({ dial, version: "1.0.0", reconnect: false });
}

const answering = (result: unknown, ...more: unknown[]) =>
  hostedBy(({ type, requestId }) =>
    type === "subscribe"
      ? [{ type: "response", requestId, result: begun }, ...more]
      : requestId === undefined
        ? []
        : [{ type: "response", requestId, result }],
  );

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    ({ code }) => code,
  );

it("ends the connection with a coded error when a message has another form", async () => {
  for (const message of [
    { type: "response", requestId: "1", result: {} },
    { type: "response", requestId: 1, error: "no" },
    { type: "response", requestId: 1, error: { code: "X", message: "x".repeat(20_000) } },
    { type: "events", subscription: 1, events: {}, anchor },
    { type: "events", subscription: 1, events: [null], anchor },
    { type: "events", subscription: 1, events: [{ event: { type: "message", seq: "1" }, display: note }], anchor },
    { type: "events", subscription: 1, events: [{ event: { type: "note", seq: 1 } }], anchor },
    { type: "events", subscription: 1, events: [], anchor: { ...anchor, epoch: 1 } },
    { type: "changes", subscription: 1, changes: [5] },
    { type: "closing", error: null, retry: true },
    { type: 5 },
    "no JSON",
    "[]",
  ]) {
    const client = await hostedBy(() => [message]);
    expect([message, await codeOf(client.request("ping", {}))]).toEqual([message, "LINK_PROTOCOL"]);
    expect(client.state).toMatchObject({ state: "closed" });
  }
  expect(await codeOf(hostedBy(() => [], { ...welcome, clientId: 5 }))).toBe("LINK_PROTOCOL");
});

it("rejects results of another form with a coded error, and stays connected", async () => {
  const page = { header: {}, events: [], more: false, anchor };
  for (const [operation, params, result] of [
    ["get_status", { sessionId: "s" }, null],
    ["get_status", { sessionId: "s" }, { ...status, notices: [null] }],
    ["load_session", { sessionId: "s" }, { ...status, meta: "x" }],
    ["get_events", { sessionId: "s" }, { ...page, events: [{ event: null }] }],
    ["get_events", { sessionId: "s" }, { ...page, anchor: undefined }],
    ["list_sessions", {}, { sessions: {} }],
    ["get_queue", { sessionId: "s" }, { seq: 1, items: [5] }],
    ["attend_requests", { sessionId: "s" }, { requests: [{}], statuses: [] }],
    ["send_message", { sessionId: "s", content: "x" }, { status: "started" }],
  ] as const) {
    const client = await answering(result);
    const code = await codeOf(client.request(operation as never, params as never));
    expect([operation, result, code]).toEqual([operation, result, "LINK_RESULT"]);
    expect(client.state).toMatchObject({ state: "live" });
    await client.close();
  }
  for (const result of [
    undefined,
    { ...begun, anchor: undefined },
    { ...begun, mode: "x" },
    { ...begun, status: {} },
  ]) {
    const client = await hostedBy(({ type, requestId }) =>
      type === "subscribe" ? [{ type: "response", requestId, result }] : [],
    );
    expect(await codeOf(client.subscribe("s", () => {}))).toBe("LINK_RESULT");
    expect(await codeOf(followSession(client, "s"))).toBe("LINK_RESULT");
    await client.close();
  }
});

it("goes on with messages, fields, events and displays of a later version", async () => {
  const event = { ...envelope, type: "hologram", seq: 1, id: "event-1", parentId: null, depth: 3 };
  const passing = { ...envelope, type: "sparkle", seq: 2 };
  const delivered = [event, passing].map((each) => ({
    event: each,
    display: { display: "hologram", text: "h" },
    more: 1,
  }));
  const at = { ...anchor, persistentSeq: 1, persistentId: "event-1", streamSeq: 2, shard: 4 };
  const client = await answering(
    { pong: true, later: 1 },
    { type: "weather", sunny: true },
    { type: "events", subscription: 1, events: delivered, anchor: at, compressed: false },
  );
  const view = await followSession(client, "s");
  expect(view.events.map((each) => each.event)).toEqual([event]);
  expect(view.rows.map(({ type, display }) => [type, display.display])).toEqual([["hologram", "hologram"]]);
  expect(await client.request("ping", {})).toEqual({ pong: true, later: 1 });
  await client.close();
});

it("is told what to do when the host speaks another version of the protocol", async () => {
  const error = { code: "GATEWAY_PROTOCOL", message: "This host is of version 9. Update this program." };
  expect(await codeOf(hostedBy(() => [], { type: "closing", error, retry: false }))).toBe("GATEWAY_PROTOCOL");
});

it("shows a session whatever events contain", async () => {
  const anyPayload = fc.dictionary(
    fc.constantFrom(
      "message",
      "items",
      "requestId",
      "eventId",
      "delta",
      "toolCallId",
      "changes",
      "mode",
      "plugin",
      "text",
    ),
    fc.anything({ maxDepth: 2 }),
  );
  const types = ["message", "queue_update", "session_info", "approval_request", "approval_answer", "permission_mode"];
  const passing = ["message_start", "text_delta", "tool_call_delta", "tool_execution_start", "tool_execution_update"];
  const others = ["plugin_status", "runtime_start", "turn_start", "retry_start", "rewind", "branch", "compact"];
  const anyEvent = fc.tuple(fc.constantFrom(...types, ...passing, ...others), anyPayload, fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 12 }), async (given) => {
      const events = given.map(([type, payload, isStored], index) => ({
        event: {
          ...(JSON.parse(JSON.stringify(payload)) as object),
          ...envelope,
          type,
          seq: index + 1,
          ...(isStored && { id: `event-${index}`, parentId: index === 0 ? null : `event-${index - 1}` }),
        },
        display: note,
      }));
      const at = { ...anchor, streamSeq: events.length };
      const message = { type: "events", subscription: 1, events, anchor: at } as unknown as HostMessage;
      const thrown: unknown[] = [];
      const client = await answering({ pong: true }, message);
      const view = await followSession(client, "s", { listenerFailed: (each) => void thrown.push(each) });
      expect([thrown, view.events.length]).toEqual([[], events.filter(({ event }) => "id" in event).length]);
      JSON.stringify([view.status, view.live, view.queue, view.requests]);
      await client.close();
    }),
    { seed, numRuns: 200 },
  );
});
