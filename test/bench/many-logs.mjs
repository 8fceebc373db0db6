/**
 * Writes a thousand sessions, together about 1 GB, into HOME; the one whose last change is the oldest contains the word
 * "needle".
 */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";

const SESSIONS = 1000;
const EVENTS = 240;
const WORDS =
  'cart total price discount function returns value when items are empty and tests fail because module "cannot" resolve\n'.split(
    " ",
  );

let state = 1;
/** A pseudorandom number below `below`, the same sequence in every run (xorshift). */
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}

const blocks = Array.from({ length: 500 }, () =>
  Array.from({ length: 700 }, () => WORDS[random(WORDS.length)]).join(" "),
);
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...none, input: 100, output: 20, totalTokens: 120, cost: { ...none, total: 0.001 } };
const texts = (text) => [{ type: "text", text }];

const directory = join(homedir(), ".scorel/sessions");
mkdirSync(directory, { recursive: true });
for (let index = 0; index < SESSIONS; index++) {
  const sessionId = `session${String(index).padStart(9, "0")}`;
  const path = join(directory, `${sessionId}.jsonl`);
  writeFileSync(path, recordsOf(sessionId, index).map(encode).join(""));
  utimesSync(path, 1_000_000 + index, 1_000_000 + index);
}

function recordsOf(sessionId, index) {
  const meta = { cwd: homedir(), root: homedir() };
  const header = { version: 1, sessionId, deviceId: "device0000000001", createdAt: index, epoch: "epoch00000000001" };
  const events = Array.from({ length: EVENTS }, (_, at) => {
    const place = { id: `${sessionId}e${at}`, parentId: at === 0 ? null : `${sessionId}e${at - 1}`, seq: at + 1 };
    return { type: "message", ...place, sessionId, clientId: "bench", ts: index + at, message: messageOf(index, at) };
  });
  return [{ ...header, checksum: "crc32", meta }, ...events];
}

/** In turn a question, a reply with a tool call, and the result. */
function messageOf(index, at) {
  const text = blocks[random(blocks.length)];
  if (at % 3 === 0) return { role: "user", content: index === 0 && at === 99 ? "the needle" : text, timestamp: at };
  if (at % 3 === 2)
    return {
      role: "tool_result",
      toolCallId: "c",
      toolName: "Bash",
      content: texts(text + text),
      isError: false,
      timestamp: at,
    };
  const content = [
    ...texts(text.slice(0, 900)),
    { type: "toolCall", id: "c", name: "Bash", arguments: { command: "ls" } },
  ];
  return {
    role: "assistant",
    content,
    api: "x",
    provider: "bench",
    model: "m",
    usage,
    stopReason: "toolUse",
    timestamp: at,
  };
}

function encode(record) {
  const json = JSON.stringify(record);
  return `${json.slice(0, -1)},"crc":"${crc32(json).toString(16).padStart(8, "0")}"}\n`;
}
