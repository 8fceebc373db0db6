/**
 * The time to build a context larger than the part of the log that is kept in memory: the first time, and after one
 * more message.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createKernel } from "@scorel/kernel";
import messages from "@scorel/messages";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";

const MESSAGES = 10_000;
const BYTES = 8_000;
const BUILDS = 10;
const header = { version: 1, sessionId: "bench00000000001", deviceId: "bench", createdAt: 0, epoch: "bench" };

const folder = mkdtempSync(join(tmpdir(), "scorel-bench-"));
try {
  const path = join(folder, "bench00000000001.jsonl");
  write(path);
  const kernel = await createKernel({
    entries: [{ plugin: messages, origin: "bench" }],
    store: createJsonlStore(path),
  });
  const { session } = kernel;
  const first = timed(() => session.buildContext());
  let again = 0;
  for (let n = 0; n < BUILDS; n++) {
    await session.append("message", { message: { role: "user", content: `more ${n}`, timestamp: n } });
    again += timed(() => session.buildContext()) / BUILDS;
  }
  if (session.buildContext().length !== MESSAGES + BUILDS) throw new Error("messages are missing");
  await kernel.stop();
  const rows = [
    { work: "context of 80 MB, first", value: first, unit: "ms" },
    { work: "context of 80 MB, a message later", value: again, unit: "ms", limit: 10, was: "1406 ms" },
  ];
  console.log(JSON.stringify(rows));
} finally {
  rmSync(folder, { recursive: true });
}

function write(path: string): void {
  const fd = openSync(path, "w");
  writeSync(fd, line({ ...header, checksum: "crc32", meta: {} }));
  for (let n = 0; n < MESSAGES; n++) {
    const place = { id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, seq: n + 1, sessionId: header.sessionId };
    const message = { role: "user", content: "A line of a conversation. ".repeat(BYTES / 26), timestamp: n };
    writeSync(fd, line({ type: "message", ...place, clientId: "bench", ts: n, message }));
  }
  closeSync(fd);
}

function line(record: object): string {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}

function timed(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}
