/** Writes a thousand sessions of fifty messages into HOME. */
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const directory = join(homedir(), ".scorel/sessions");
mkdirSync(directory, { recursive: true });
for (let index = 0; index < 1000; index++) {
  const sessionId = `session${String(index).padStart(9, "0")}`;
  writeFileSync(join(directory, `${sessionId}.jsonl`), recordsOf(sessionId, index).map(encode).join(""));
}

function recordsOf(sessionId, createdAt) {
  const meta = { cwd: homedir(), root: homedir() };
  const header = { version: 1, sessionId, deviceId: "device0000000001", createdAt, epoch: "epoch00000000001" };
  const events = Array.from({ length: 50 }, (_, at) => {
    const message = { role: "user", content: `message ${at} ${"x".repeat(200)}`, timestamp: at };
    const place = { id: `${sessionId}e${at}`, parentId: at === 0 ? null : `${sessionId}e${at - 1}`, seq: at + 1 };
    return { type: "message", ...place, sessionId, clientId: "bench", ts: createdAt + at, message };
  });
  return [{ ...header, checksum: "crc32", meta }, ...events];
}

function encode(record) {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}
