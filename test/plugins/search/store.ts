import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { testHeader } from "../../harness.ts";
import { assistant, type TestHome } from "../host/home.ts";

type Fields = Record<string, unknown>;

/** Messages for `writeLog`. */
export const user = (content: unknown) => ({ role: "user", content, timestamp: 0 });
export const reply = (content: unknown, more: Fields = {}) => ({ ...assistant, content, ...more });
export const result = (toolName: string, text: string) => ({
  role: "tool_result",
  toolCallId: "c",
  toolName,
  content: [{ type: "text", text }],
  isError: false,
  timestamp: 0,
});
export const says = (text: string) => [{ type: "text", text }];

/** An event for `writeLog`. Its parent is the message before it, and its type `message`, unless it states others. */
export interface Told extends Fields {
  id: string;
}

/**
 * Writes the log of a session with these events, last changed `age` seconds ago. `raw` may change a record before its
 * checksum is added.
 */
export function writeLog(
  home: TestHome,
  sessionId: string,
  events: readonly Told[],
  {
    age = 0,
    meta = {},
    raw = (json: string) => json,
  }: { age?: number; meta?: Fields; raw?(json: string): string } = {},
): void {
  const path = home.session(`${sessionId}.jsonl`);
  let parentId: string | null = null;
  const records = events.map((event, at) => {
    const record = { type: "message", parentId, seq: at + 1, sessionId, clientId: "test", ts: 1000 + at, ...event };
    if (record.type === "message") parentId = event.id;
    return record;
  });
  const header = {
    ...testHeader,
    createdAt: 1_000_000 - age,
    sessionId,
    checksum: "crc32",
    meta: { cwd: home.cwd, ...meta },
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [header, ...records].map((record) => encode(raw(JSON.stringify(record)))).join(""));
  const time = Date.now() / 1000 - age;
  utimesSync(path, time, time);
}

function encode(json: string): string {
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}
