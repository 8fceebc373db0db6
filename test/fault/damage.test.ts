import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type Kernel } from "@scorel/kernel";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOG_VERSION } from "../../plugins/logs/header.ts";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../plugins/logs/scan.ts";
import { scratch } from "../e2e/scorel.ts";
import { testHeader as oldHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";

/** A header of the format version that numbers records. */
const testHeader = { ...oldHeader, version: LOG_VERSION };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-damage-"));
  path = join(folder, "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NEWLINE = 10;
const texts = ["first", "grüße 👋", "the damaged \ud800 one", "after", "last"];
const damagedLine = 4;

const open = (options: Parameters<typeof createJsonlStore>[1] = {}): Promise<Kernel> =>
  createKernel({ entries: [{ plugin: notes, origin: "test" }], store: createJsonlStore(path, options) });

/** A log of five notes; returns its bytes and where the third note's line begins and ends (without its newline). */
async function written(): Promise<{ whole: Buffer; start: number; end: number }> {
  const kernel = await open({ create: testHeader });
  for (const text of texts) await kernel.session.append("note", { text });
  await kernel.stop();
  const whole = readFileSync(path);
  const start = scanLog(path).places[2]?.offset as number;
  return { whole, start, end: whole.indexOf(NEWLINE, start) };
}

/** Reads the damaged log, which this must not change. */
async function looked() {
  const { session, problems } = await open({ readOnly: true });
  return { context: session.buildContext(), problems };
}

describe("a flipped bit", () => {
  it("in a record loses only that record, wherever it is, and is located", async () => {
    const { whole, start, end } = await written();
    const rest = texts.toSpliced(2, 1);
    for (let bit = start * 8; bit < end * 8; bit++) {
      const bytes = flipped(whole, bit);
      writeFileSync(path, bytes);
      const { context, problems } = await looked();
      expect({ bit, context, first: problems[0] }).toEqual({
        bit,
        context: rest,
        first: { line: damagedLine, offset: start, reason: expect.stringContaining("damaged"), lost: true },
      });
      // A byte that becomes a newline splits a line into two damaged ones.
      expect(problems).toHaveLength(bytes.subarray(start, end).includes(NEWLINE) ? 2 : 1);
    }
  });

  it("in a record's newline loses no record", async () => {
    const { whole, end } = await written();
    for (let bit = end * 8; bit < (end + 1) * 8; bit++) {
      writeFileSync(path, flipped(whole, bit));
      const { context, problems } = await looked();
      expect({ context, lines: problems.map(({ line }) => line) }).toEqual({ context: texts, lines: [damagedLine] });
    }
  });
});

type Damage = (bytes: Buffer, start: number, end: number) => Buffer;
const spliced = (bytes: Buffer, at: number, removed: number, added: Uint8Array | string) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(added as string), bytes.subarray(at + removed)]);

/** The damages of a record in the middle: whether the record itself is lost, and the reported reason. */
const damages: [string, Damage, { gone: boolean; said: string }][] = [
  ["a flipped bit", (b, start) => flipped(b, (start + 30) * 8), { gone: true, said: "checksum does not match" }],
  ["a NUL block over it", (b, s, e) => spliced(b, s, e - s, Buffer.alloc(e - s)), { gone: true, said: "checksum" }],
  ["a NUL block before it", (b, s) => spliced(b, s, 0, Buffer.alloc(512)), { gone: false, said: "blank bytes" }],
  ["a NUL block inside it", (b, s) => spliced(b, s + 20, 40, Buffer.alloc(40)), { gone: true, said: "checksum" }],
  ["an empty line before it", (b, s) => spliced(b, s, 0, "\n"), { gone: false, said: "empty line" }],
  ["a CRLF after it", (b, _s, e) => spliced(b, e, 0, "\r"), { gone: false, said: "blank bytes" }],
  [
    "the bytes of a lone surrogate in it",
    (b, s) => spliced(b, s + 30, 1, Buffer.from("eda080", "hex")),
    { gone: true, said: "checksum" },
  ],
  ["the next record on its line", (b, _s, e) => spliced(b, e, 1, ""), { gone: false, said: "2 records on one line" }],
];

describe("damage in the middle of a log", () => {
  it.each(damages)("%s loses only its own bytes", async (_what, change, { gone, said }) => {
    const { whole, start, end } = await written();
    const damaged = change(whole, start, end);
    writeFileSync(path, damaged);
    const rest = gone ? texts.toSpliced(2, 1) : texts;
    const located = [{ line: damagedLine, offset: start, reason: expect.stringContaining(said), lost: gone }];
    expect(await looked()).toEqual({ context: rest, problems: located });
    expect(readFileSync(path)).toEqual(damaged);

    const kernel = await open();
    expect(kernel.problems).toEqual(located);
    await kernel.session.append("note", { text: "goes on" });
    await kernel.stop();
    expect(readFileSync(path).subarray(0, damaged.length)).toEqual(damaged);
    const again = await looked();
    expect(again).toEqual({ context: [...rest, "goes on"], problems: located });
    const seqs = scanLog(path).events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it.each(damages)(
    "%s is reported by `session verify` and in the next turn, which has the rest of the log",
    async (_what, change, { gone, said }) => {
      using s = scratch({ inProcess: true });
      const model = ["--model", "offline/demo"];
      for (const command of ["run echo one", "run echo two", "run echo three"])
        expect((await s.run(["-p", command, ...model, ...(command.endsWith("one") ? [] : ["--continue"])])).code).toBe(
          0,
        );
      const [log = ""] = s.logs();
      const id = log.slice(log.lastIndexOf("/") + 1, -".jsonl".length);
      const whole = readFileSync(log);
      const { places, events } = scanLog(log);
      // The user's second message: the turns before and after it must be kept.
      const index = events.findIndex((event) => JSON.stringify(event).includes('"run echo two"'));
      const { line, offset } = places[index] as { line: number; offset: number };
      writeFileSync(log, change(whole, offset, whole.indexOf(NEWLINE, offset)));

      const verified = await s.run(["session", "verify", id]);
      expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining(`line ${line}, offset ${offset}: `) });
      expect(verified.stdout).toContain(said);
      const turn = await s.run(["-p", "run echo four", "--continue", ...model]);
      expect(turn).toMatchObject({ code: 0, stderr: expect.stringContaining(`line ${line}, offset ${offset}: `) });
      const context = (await s.run(["session", "context", id])).stdout;
      const prompts = ["one", "two", "three", "four"].map((word) => context.includes(`"run echo ${word}"`));
      expect(prompts).toEqual([true, !gone, true, true]);
    },
  );
});

/** The start and end of each line of a log, including its newline. */
function linesOf(bytes: Buffer): { from: number; to: number }[] {
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(NEWLINE, from) + 1 || bytes.length;
    lines.push({ from, to });
    from = to;
  }
  return lines;
}

describe("the header of a log", () => {
  it("with flipped bits never makes a damaged record be accepted", async () => {
    const { whole, start, end } = await written();
    const damaged = flipped(whole, (whole.indexOf("damaged", start) + 2) * 8);
    const lines = linesOf(whole);
    for (let bit = 0; bit < ((lines[0]?.to as number) - 1) * 8; bit++) {
      writeFileSync(path, flipped(damaged, bit));
      const found = await looked().catch(({ code }) => code);
      // Without a valid header, the file is refused and left unchanged.
      if (found === "STORE_HEADER") continue;
      expect({ bit, context: found.context }).toEqual({ bit, context: texts.toSpliced(2, 1) });
      expect(found.problems[0]).toMatchObject({ line: 1, lost: true });
      expect(found.problems.some(({ offset }: { offset: number }) => offset >= start && offset < end)).toBe(true);
    }
  });

  it.each([
    ["its flag", (line: string) => line.replace('"checksum":"crc32",', "")],
    [
      "its flag and its own checksum",
      (line: string) => line.replace('"checksum":"crc32",', "").replace(/,"crc":.*/, "}"),
    ],
  ])("without %s still belongs to a checked log if the records have checksums", async (_what, change) => {
    const { whole, start } = await written();
    const damaged = flipped(whole, (whole.indexOf("damaged", start) + 2) * 8);
    const end = damaged.indexOf(NEWLINE);
    const header = Buffer.from(change(damaged.toString("utf8", 0, end)));
    writeFileSync(path, Buffer.concat([header, damaged.subarray(end)]));
    const { context, problems } = await looked();
    expect(context).toEqual(texts.toSpliced(2, 1));
    expect(problems.at(-1)).toMatchObject({ line: damagedLine, reason: expect.stringContaining("damaged") });
  });

  it("without a checksum, as other programs write it, allows unchecked records before the ones that we add", async () => {
    const plain = JSON.stringify({ ...oldHeader, version: 1 });
    const note = (n: number) => ({ type: "note", id: `n${n}`, parentId: n === 0 ? null : `n${n - 1}`, seq: n + 1 });
    const envelope = { sessionId: oldHeader.sessionId, clientId: "x", ts: 0 };
    const records = [0, 1].map((n) => JSON.stringify({ ...note(n), ...envelope, text: `unchecked ${n}` }));
    writeFileSync(path, `${[plain, ...records].join("\n")}\n`);
    const kernel = await open();
    for (const text of ["ours", "also ours"]) await kernel.session.append("note", { text });
    await kernel.stop();
    expect((await looked()).context).toEqual(["unchecked 0", "unchecked 1", "ours", "also ours"]);
    const bytes = readFileSync(path);
    writeFileSync(path, flipped(bytes, (bytes.indexOf("also") + 1) * 8));
    expect((await looked()).context).toEqual(["unchecked 0", "unchecked 1", "ours"]);
  });
});

describe("records that were removed from a log", () => {
  it("are reported as missing, wherever they were, and change the epoch once", async () => {
    const { whole } = await written();
    const [, ...records] = linesOf(whole);
    for (let first = 0; first < records.length - 1; first++)
      for (let last = first; last < records.length - 1; last++) {
        const [from, to] = [records[first]?.from as number, records[last]?.to as number];
        writeFileSync(path, spliced(whole, from, to - from, ""));
        const count = last - first + 1;
        const missing = {
          line: first + 2,
          offset: from,
          reason: `missing: ${count === 1 ? "a record" : `${count} records`} before this one (number ${last + 2})`,
          lost: true,
        };
        const kernel = await open();
        expect(kernel.problems).toEqual([missing]);
        expect(kernel.session.epoch).not.toBe(testHeader.epoch);
        expect(kernel.session.buildContext()).toEqual(texts.toSpliced(first, count));
        const { epoch } = kernel.session;
        await kernel.stop();
        const again = await open();
        expect([again.problems, again.session.epoch]).toEqual([[missing], epoch]);
        await again.stop();
      }
  });

  it("are not noticed in a log of the previous format, which can be continued", async () => {
    const kernel = await open({ create: { ...oldHeader, version: 1 } });
    for (const text of texts) await kernel.session.append("note", { text });
    await kernel.stop();
    expect(readFileSync(path, "utf8")).not.toContain('"nth"');
    expect(await looked()).toEqual({ context: texts, problems: [] });
  });

  it.each([
    ["in another order", ([a, b, c, d, e]: string[]) => [a, c, b, d, e]],
    ["there twice", ([a, b, c, d, e]: string[]) => [a, b, b, c, d, e]],
  ])("no record is lost if some are %s", async (_what, change) => {
    const { whole } = await written();
    const lines = whole.toString("utf8").split("\n");
    const moved = change(lines.slice(1, -1));
    writeFileSync(path, `${[lines[0], ...moved].join("\n")}\n`);
    const { problems } = await looked();
    expect(problems.length).toBeGreaterThan(0);
    expect([...scanLog(path).events].length).toBe(texts.length);
  });
});

/** A change of the bytes of a log. */
const blow = fc.record({
  what: fc.constantFrom("flip", "cut out", "zero", "insert", "remove line", "double line", "cut end"),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.integer({ min: 1, max: 400 }),
});

describe("any damage of a log", () => {
  it("leaves exactly the records whose bytes are intact, and lost records are reported", async () => {
    const { whole } = await written();
    const [header, ...records] = linesOf(whole).map(({ from, to }) => whole.subarray(from, to - 1));
    const after = (header as Buffer).length + 1;
    const scanned = scanLog(path).events.map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(fc.array(blow, { minLength: 1, maxLength: 4 }), async (blows) => {
        let bytes: Buffer = whole;
        for (const { what, at, length } of blows) {
          const place = after + Math.floor(at * (bytes.length - after));
          const lines = linesOf(bytes).filter(({ from, to }) => from >= after && to > from);
          const line = lines[Math.floor(at * lines.length)];
          if (place >= bytes.length) continue;
          if (what === "flip") bytes = flipped(bytes, place * 8 + (length % 8));
          if (what === "cut out") bytes = spliced(bytes, place, length, "");
          if (what === "zero")
            bytes = spliced(
              bytes,
              place,
              Math.min(length, bytes.length - place),
              Buffer.alloc(Math.min(length, bytes.length - place)),
            );
          if (what === "insert") bytes = spliced(bytes, place, 0, "x".repeat(length));
          if (what === "remove line" && line) bytes = spliced(bytes, line.from, line.to - line.from, "");
          if (what === "double line" && line) bytes = spliced(bytes, line.to, 0, bytes.subarray(line.from, line.to));
          if (what === "cut end") bytes = bytes.subarray(0, place);
        }
        writeFileSync(path, bytes);
        // A record is intact if its bytes, including the checksum, are in the file.
        const { events, problems } = scanLog(path);
        expect(events.map(({ id }) => id).sort()).toEqual(
          scanned.filter((_id, n) => bytes.includes(records[n] as Buffer)).sort(),
        );
        // Lost records can go unnoticed only if none follows them and the log ends with a line.
        const last = records.findLastIndex((record) => bytes.includes(record as Buffer));
        const isMissing = records.slice(0, Math.max(0, last)).some((record) => !bytes.includes(record as Buffer));
        if (isMissing) expect(problems.some(({ lost }) => lost)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}
