import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJsonlStore, createKernel, type Kernel, scanLog } from "@scorel/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";

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

/** A log of five notes; answers its bytes and where the third note's line begins and ends (its newline excluded). */
async function written(): Promise<{ whole: Buffer; start: number; end: number }> {
  const kernel = await open({ create: testHeader });
  for (const text of texts) await kernel.session.append("note", { text });
  await kernel.stop();
  const whole = readFileSync(path);
  const start = scanLog(path).places[2]?.offset as number;
  return { whole, start, end: whole.indexOf(NEWLINE, start) };
}

/** What a reader of the damaged log finds, without changing it. */
async function looked() {
  const { session, problems } = await open({ readOnly: true });
  return { context: session.buildContext(), problems };
}

describe("a flipped bit", () => {
  it("of a record costs that record only, wherever it is, and is located", async () => {
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
      // A byte that became a newline makes two damaged lines of one.
      expect(problems).toHaveLength(bytes.subarray(start, end).includes(NEWLINE) ? 2 : 1);
    }
  });

  it("of a record's newline costs no record", async () => {
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

/** What happens to one record in the middle, whether the record itself is gone, and what is said of it. */
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
  it.each(damages)("%s costs nothing but its own bytes", async (_what, change, { gone, said }) => {
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
    "%s is told by verify and by the next turn, which has the rest",
    async (_what, change, { gone, said }) => {
      using s = scratch();
      const model = ["--model", "offline/demo"];
      for (const command of ["run echo one", "run echo two", "run echo three"])
        expect((await s.run(["-p", command, ...model, ...(command.endsWith("one") ? [] : ["--continue"])])).code).toBe(
          0,
        );
      const [log = ""] = s.logs();
      const id = log.slice(log.lastIndexOf("/") + 1, -".jsonl".length);
      const whole = readFileSync(log);
      const { places, events } = scanLog(log);
      // The user's second message: the turns before and after it have to stay.
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

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}
