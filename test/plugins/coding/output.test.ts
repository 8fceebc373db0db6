import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { firstBytes, lastBytes, Output } from "../../../plugins/coding/shell/output.ts";
import { storedOutput } from "../../../plugins/coding/shell/stored-output.ts";
import { fc } from "../../property.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-output-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const chunks = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "\n"), maxLength: 300 }), {
  maxLength: 12,
});

it("an output is returned whole, or as its head and tail with all of it in a file", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 300, max: 1_500 }), (parts, limit) => {
      const before = readdirSync(folder).length;
      const output = new Output(limit, () => folder);
      for (const part of parts) output.write(part);
      const kept = output.close();
      const all = parts.join("");
      expect(kept.bytes).toBe(Buffer.byteLength(all));
      expect(kept.truncated).toBe(kept.bytes > limit);
      expect(readdirSync(folder).length - before).toBe(kept.truncated ? 1 : 0);
      if (!kept.truncated) {
        expect(kept.text).toBe(all);
        return;
      }
      expect(readFileSync(kept.spill as string, "utf8")).toBe(all);
      const [head = "", tail = ""] = kept.text.split(/\n\[\d+ bytes cut here; .*\]\n/);
      expect([all.startsWith(head), all.endsWith(tail)]).toEqual([true, true]);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(limit);
    }),
  );
});

it("a text is cut between characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "é", "日", "😀") }), fc.nat(40), (text, limit) => {
      for (const part of [firstBytes(text, limit), lastBytes(text, limit)]) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit);
        expect(Buffer.byteLength(part)).toBeGreaterThan(Math.min(limit, Buffer.byteLength(text)) - 4);
      }
      expect([text.startsWith(firstBytes(text, limit)), text.endsWith(lastBytes(text, limit))]).toEqual([true, true]);
    }),
  );
});

it("an output is cut with a reason if there is no folder for its file", () => {
  const output = new Output(400, () => {
    throw new Error("there is none");
  });
  for (let line = 0; line < 100; line++) output.write(`line ${line}\n`);
  const { text, truncated, spill } = output.close();
  expect([truncated, spill]).toEqual([true, undefined]);
  expect(text).toMatch(/^line 0[\s\S]*bytes cut here; it could not be saved to a file: [\s\S]*line 99\n$/);
});

it("the file of an output that a command has replaced by a link is not read through the link", async () => {
  const secret = join(folder, "secret");
  writeFileSync(secret, "hidden");
  const spill = join(folder, "spill");
  symlinkSync(secret, spill);
  await storedOutput({ text: "", bytes: 0, truncated: true, spill }, async (text) => text);
  const texts = [spill, secret].map((path) => readFileSync(path, "utf8"));
  expect(texts).toEqual([expect.stringMatching(/^The output was not kept, .*ELOOP/), "hidden"]);
});
