import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { joined } from "../../../plugins/transfer/export/export.ts";
import { LONGEST_LINE, linesOf } from "../../../plugins/transfer/import/lines.ts";
import { parseRecord } from "../../../plugins/transfer/json.ts";
import { desk, spoken } from "./desk.ts";
import { lines } from "./peers.ts";

/** A file in memory that is read in pieces. */
function fileOf(content: Buffer) {
  return {
    read: async (into: Buffer, offset: number, length: number, at: number) => ({
      bytesRead: content.copy(into, offset, at, Math.min(content.length, at + length)),
      buffer: into,
    }),
  } as never;
}

async function read(content: string, longest: number) {
  const damage: unknown[] = [];
  const found: [number, number, string][] = [];
  for await (const { number, offset, bytes } of linesOf(fileOf(Buffer.from(content)), (it) => damage.push(it), longest))
    found.push([number, offset, bytes.toString()]);
  return { found, damage };
}

describe("a file's lines", () => {
  it("are read one by one with their positions; a line that is too long is reported and skipped", async () => {
    expect(await read("one\r\n\n  \nlonger than ten\ntwo", 10)).toEqual({
      found: [
        [1, 0, "one\r"],
        [5, 25, "two"],
      ],
      damage: [{ line: 4, offset: 9, reason: "15 bytes are more than a line may have (10)" }],
    });
  });

  it("may be longer than the read buffer", async () => {
    const long = "x".repeat(3 * 2 ** 20);
    const { found } = await read(`${long}\n${long}y`, LONGEST_LINE);
    expect(found.map(([number, offset, text]) => [number, offset, text.length])).toEqual([
      [1, 0, long.length],
      [2, long.length + 1, long.length + 1],
    ]);
  });
});

it("limits an answer's length, but not a file's", async () => {
  async function* chunks(...given: string[]) {
    yield* given;
  }
  expect(await joined(chunks("ab", "cd"), "s", 4)).toBe("abcd");
  await expect(joined(chunks("ab", "cd", "e"), "s", 4)).rejects.toThrow("--out");
});

describe("a record", () => {
  const nested = (depth: number) => Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

  it("may be 64 deep", () => {
    expect(parseRecord(nested(64))).toBeTypeOf("object");
    expect(parseRecord(nested(65))).toContain("64 deep");
    expect(parseRecord(Buffer.from("[".repeat(10_000_000)))).toContain("64 deep");
    expect(parseRecord(Buffer.from(JSON.stringify({ a: '[[["\\"'.repeat(100) })))).toBeTypeOf("object");
  });

  it("has no prototype, no invalid number, and only whole characters", () => {
    const text = '{"__proto__":{"admin":true},"a":[{"__proto__":1,"n":1e999}],"s":"x\\ud800y\\ud83d\\ude00"}';
    const record = parseRecord(Buffer.from(text)) as Record<string, unknown>;
    expect(record).toEqual({ a: [{ n: 0 }], s: "x\ufffdy😀" });
    expect(Object.hasOwn(record, "__proto__")).toBe(false);
    expect((record as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([["[1]"], ["null"], ["{"], ['"x"'], ["\u0000"]])("is invalid: %s", (text) => {
    expect(parseRecord(Buffer.from(text))).toBeTypeOf("string");
  });
});

it("a file of more than 2 GiB is refused unread, a line of more than 64 MiB is skipped", async () => {
  await using t = await desk();
  const path = join(t.home.home, "large.jsonl");
  const fd = openSync(path, "w");
  const first = `${lines({ type: "session", id: "x" }, { type: "message", message: { role: "user", content: "one" } })}\n`;
  writeSync(fd, first);
  // A sparse file without content, which is one line without an end.
  ftruncateSync(fd, LONGEST_LINE + 1000);
  const request = () => t.client.request("import_session", { file: path, cwd: t.home.cwd });
  const report = await request();
  expect(report).toMatchObject({ messages: 1, damagedCount: 1, damaged: [{ line: 3, offset: first.length }] });
  ftruncateSync(fd, 2 * 2 ** 30 + 1);
  closeSync(fd);
  await expect(request()).rejects.toMatchObject({ code: "TRANSFER_TOO_LARGE" });
  expect(spoken((await t.open(report.sessionId)).kernel.session.buildContext())).toEqual(["user: one"]);
});
