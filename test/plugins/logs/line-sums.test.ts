import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@scorel/kernel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJsonlStore } from "../../../plugins/logs/jsonl-store.ts";
import { LineSums } from "../../../plugins/logs/line-sums.ts";
import { encodeLine, isSound, recordIn } from "../../../plugins/logs/record-bytes.ts";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { testHeader } from "../../harness.ts";
import { notes } from "../../kernel/notes.ts";
import { fc, seed } from "../../property.ts";

const lines = fc.array(fc.record({ text: fc.string({ unit: "grapheme", maxLength: 400 }), n: fc.nat() }), {
  minLength: 1,
  maxLength: 30,
});

describe("the checksum over many lines", () => {
  it(`accepts undamaged lines and no others, like the checksum of each line (seed ${seed})`, () => {
    const sums = new LineSums();
    const property = fc.property(lines, fc.nat(), fc.nat({ max: 7 }), fc.nat(), (records, place, bit, before) => {
      const text = records.map((record) => encodeLine(JSON.stringify(record))).join("");
      const bytes = Buffer.concat([Buffer.alloc(before % 50, 120), Buffer.from(text)]);
      const from = before % 50;
      const ends: number[] = [];
      expect(sums.match(bytes, from, bytes.length, ends)).toBe(true);
      expect(ends).toHaveLength(records.length);
      const at = from + (place % (bytes.length - from - 1));
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      const each = soundEach(bytes, from);
      expect({ match: sums.match(bytes, from, bytes.length, ends), each }).toEqual({ match: false, each: false });
    });
    fc.assert(property, { seed, numRuns: 1000 });
  });
});

describe("the record in a line", () => {
  it(`is the JSON that the line was made from, with and without a number (seed ${seed})`, () => {
    const record = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
      .map((value) => JSON.stringify(value));
    const property = fc.property(record, fc.option(fc.nat(), { nil: undefined }), (json, nth) => {
      const line = Buffer.from(encodeLine(json, nth).slice(0, -1));
      expect(recordIn(line, nth !== undefined)).toBe(json);
    });
    fc.assert(property, { seed, numRuns: 1000 });
  });
});

function soundEach(bytes: Buffer, from: number): boolean {
  for (let start = from; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end < 0 || !isSound(bytes, start, end)) return false;
    start = end + 1;
  }
  return true;
}

describe("a log of many chunks", () => {
  let folder: string;
  let path: string;
  let whole: Buffer;
  let ids: string[];
  let starts: number[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "scorel-chunks-"));
    path = join(folder, "s.jsonl");
    const store = createJsonlStore(path, { create: testHeader });
    const kernel = await createKernel({ entries: [{ plugin: notes, origin: "test" }], store });
    const entries = Array.from({ length: 6000 }, (_, n) => ({
      type: "note" as const,
      // Some are longer than a chunk, most are much shorter.
      payload: { text: `${n} ${"grüße ".repeat(n === 3000 ? 250_000 : n % 90)}` },
    }));
    for (let n = 0; n < entries.length; n += 500) await kernel.session.appendAll(entries.slice(n, n + 500));
    await kernel.stop();
    const { events, places, problems } = scanLog(path);
    expect(problems).toEqual([]);
    ids = events.map(({ id }) => id);
    starts = places.map(({ offset }) => offset);
    whole = readFileSync(path);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is read as it was written, wherever chunks end", () => {
    const { events, places } = scanLog(path);
    expect(events.map((event) => Number.parseInt((event as unknown as { text: string }).text, 10))).toEqual(
      ids.map((_id, n) => n),
    );
    expect(places.map(({ line }) => line)).toEqual(ids.map((_id, n) => n + 2));
    expect(events.map(({ parentId }) => parentId)).toEqual([null, ...ids.slice(0, -1)]);
  });

  it(`loses only the damaged records, and locates each (seed ${seed})`, () => {
    const damaged = fc.uniqueArray(fc.nat({ max: 5998 }), { minLength: 1, maxLength: 4 });
    const change = fc.constantFrom(0, 255, 64, 65);
    const property = fc.property(damaged, change, fc.nat({ max: 40 }), (rows, byte, within) => {
      const bytes = Buffer.from(whole);
      for (const row of rows) {
        const at = (starts[row] as number) + 10 + within;
        bytes[at] = bytes[at] === byte ? byte ^ 1 : byte;
      }
      const copy = join(folder, "damaged.jsonl");
      writeFileSync(copy, bytes);
      const { events, problems } = scanLog(copy);
      expect(events.map(({ id }) => id)).toEqual(ids.filter((_id, row) => !rows.includes(row)));
      const told = rows.sort((a, b) => a - b).map((row) => ({ line: row + 2, offset: starts[row] }));
      expect(problems.map(({ line, offset }) => ({ line, offset }))).toEqual(told);
    });
    fc.assert(property, { seed, numRuns: 20 });
  });
});
