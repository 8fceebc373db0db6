import { describe, expect, it } from "vitest";
import { interactionIn, patienceFor } from "../../../plugins/runner/interactive/prompts.ts";
import { redactionFor } from "../../../plugins/runner/run/redaction.ts";
import { Transcript } from "../../../plugins/runner/run/transcript.ts";
import { fc } from "../../property.ts";

const KEPT = 64;
const said = fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "é", "€", "😀", "\0"), maxLength: 40 }), {
  maxLength: 30,
});

describe("offsets into a transcript", () => {
  it("always lead to the same character, never into the middle of one", () => {
    fc.assert(
      fc.property(said, fc.integer({ min: 4, max: 40 }), fc.nat({ max: 2_000 }), (chunks, limit, anywhere) => {
        const transcript = new Transcript(KEPT);
        let all = "";
        for (const chunk of chunks) {
          transcript.write(chunk);
          all += chunk;
          const bytes = Buffer.from(all);
          expect(transcript.end).toBe(bytes.length);
          const page = transcript.from(anywhere, limit);
          expect(page.text).toBe(bytes.toString("utf8", page.offset, page.next));
          expect(Buffer.from(page.text).length).toBe(page.next - page.offset);
          expect(page.next - page.offset).toBeLessThanOrEqual(limit);
          const last = transcript.last(0, limit);
          expect([all.endsWith(last.text), last.next]).toEqual([true, bytes.length]);
          expect(Buffer.from(last.text).length).toBe(last.next - last.offset);
        }
        // Page by page from any offset, everything that is kept is returned once.
        let rest = "";
        for (let at = transcript.from(0, limit).offset; at < transcript.end; ) {
          const page = transcript.from(at, limit);
          expect([page.offset, page.next > at]).toEqual([at, true]);
          rest += page.text;
          at = page.next;
        }
        expect(all.endsWith(rest)).toBe(true);
        const kept = Buffer.byteLength(rest);
        expect(kept).toBeGreaterThanOrEqual(Math.min(Buffer.byteLength(all), KEPT - 3));
        expect(kept).toBeLessThanOrEqual(2 * KEPT);
      }),
    );
  });
});

describe("secrets in output", () => {
  const values = ["token", "tok-1234", "tok-12345", "élan-vital", "aaaa"];
  const pieces = fc.array(
    fc.oneof(fc.constantFrom(...values, "tok-", "to", "aaa", "élan"), fc.string({ unit: "grapheme", maxLength: 6 })),
    { maxLength: 20 },
  );
  const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 10 });

  it("are redacted however the output is split", () => {
    const hidden = redactionFor({ find: () => undefined }, values);
    fc.assert(
      fc.property(pieces, cuts, (parts, places) => {
        const text = parts.join("");
        const written = (chunks: string[]) => {
          const redactor = hidden.redactor();
          return chunks.map((chunk) => redactor.write(chunk)).join("") + redactor.end();
        };
        const at = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
        const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
        const told = written(chunks);
        expect(told).toBe(written([text]));
        expect(values.filter((value) => told.includes(value))).toEqual([]);
        if (values.every((value) => !text.includes(value))) expect(told).toBe(text);
      }),
    );
  });

  it("are not revealed by combining answers, which return all other text once and in order", () => {
    const hidden = redactionFor({ find: () => undefined }, values);
    fc.assert(
      fc.property(pieces, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), (parts, polls) => {
        const redactor = hidden.redactor();
        const transcript = new Transcript(4_096);
        let [told, at] = ["", 0];
        const poll = () => {
          for (let page = transcript.from(at, 8); page.next > at; page = transcript.from(at, 8)) {
            expect(page.offset).toBe(at);
            told += page.text;
            at = page.next;
          }
        };
        for (const [index, part] of parts.entries()) {
          transcript.write(redactor.write(part));
          if (polls[index]) poll();
        }
        transcript.write(redactor.end());
        poll();
        expect(values.filter((value) => told.includes(value))).toEqual([]);
        const whole = hidden.redactor();
        expect(told).toBe(whole.write(parts.join("")) + whole.end());
      }),
    );
  });
});

describe("guessing what a program waits for", () => {
  it.each([
    ["Your name? ", "prompt"],
    ["Password:", "prompt"],
    [">>> ", "prompt"],
    ["a\nb\n$ ", "prompt"],
    ["Continue [y/N] ", "prompt"],
    ["Press Enter to go on\n", "prompt"],
    ["What is it?\n", "prompt"],
    ["Pick:\n1) one\n2) two\nWhich? ", "selection"],
    ["1. one\n2. two\nEnter the number of your choice: ", "selection"],
    ["working\n", undefined],
    ["1) one\n2) two\n", undefined],
    ["50%\r60", undefined],
    ["... ", "prompt"],
    ["Loading... ", undefined],
    ["Go on (yes/no) ", "prompt"],
    ["f(x) ", undefined],
    ["Really? 50%\r100%", undefined],
    ["\u001b[1mYour name?\u001b[0m ", "prompt"],
    ["Your name:\r\n", "prompt"],
    ["", undefined],
  ])("%j is %s", (stdout, kind) => {
    expect(interactionIn({ stdout, stderr: "", last: "stdout" })?.kind).toBe(kind);
  });

  it("treats an unfinished line as a question, later for callers who wait long", () => {
    const patience = (stdout: string, ms: number) => patienceFor({ stdout, stderr: "", last: "stdout" }, ms);
    expect([
      patience("Name? ", 60_000),
      patience("....", 1_000),
      patience("....", 60_000),
      patience("line\n", 60_000),
    ]).toEqual([30, 300, 6_000, undefined]);
  });

  it("recognises a prompt that arrived before an earlier line, but not one that was answered", () => {
    expect(interactionIn({ stdout: "21\n", stderr: ">>> ", last: "stdout" })?.hint).toBe(">>>");
    expect(interactionIn({ stdout: "21\n", stderr: "Warning:\n", last: "stdout" })).toBeUndefined();
  });
});
