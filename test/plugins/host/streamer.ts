import { createSessionStore } from "../../../plugins/host/storage/session-store.ts";
import { jsonlLogs } from "../../../plugins/logs/service.ts";

/** Streams an endless message through a session's store, and prints each delta as soon as it may be announced. */
const [path = "", header = "{}"] = process.argv.slice(2);
const create = JSON.parse(header);
const { sessionId } = create;
const store = createSessionStore({
  logs: jsonlLogs,
  path,
  sessionId,
  create,
  onPartialFailure: (thrown) => console.error(thrown),
});
store.open();
const envelope = { sessionId, clientId: "test", ts: 1 };
store.append([JSON.stringify({ type: "message", id: "user000000000001", parentId: null, seq: 1, ...envelope })]);
const start = { eventId: "reply00000000001", parentId: "user000000000001", role: "assistant", model: "a/b" };
await store.stage?.({ type: "message_start", seq: 2, ...envelope, ...start } as never);
for (let seq = 3; ; seq++) {
  const delta = `word ${seq} `;
  await store.stage?.({ type: "text_delta", seq, ...envelope, eventId: start.eventId, delta } as never);
  process.stdout.write(`${delta}\n`);
}
