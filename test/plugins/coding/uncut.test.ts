import { describe, expect, it } from "vitest";
import { fc } from "../../property.ts";
import { textOf, workshop } from "./workshop.ts";

const secret = "sk-live-QWERTYUIOPLKJHGF";
/** Parts of four consecutive letters of the secret that a text contains. */
const uncovered = (text: string) =>
  Array.from({ length: secret.length - 3 }, (_, at) => secret.slice(at, at + 4)).filter((part) => text.includes(part));

describe("a secret in a file", () => {
  it("is not revealed by a Read that begins or ends inside it, at any byte", async () => {
    await using w = await workshop({ secret });
    w.file("a.env", `# notes\nKEY=${secret} # mine\nlast\n`);
    for (let byte = 0; byte < secret.length + 6; byte++) {
      const text = await w.say("Read", { file_path: "a.env", offset: `2:${byte}` });
      expect({ byte, uncovered: uncovered(text) }).toEqual({ byte, uncovered: [] });
    }
    expect(await w.say("Read", { file_path: "a.env", offset: "2:9" })).toBe(
      "[line 2 of 3, bytes 9-36 of 36; truncated, next offset 3]\n2@9\t[redacted] # mine",
    );
  });

  it("is not revealed by the end of a page", async () => {
    // With a small context window, a page ends within the only long line.
    for (let before = 380; before < 420; before++) {
      await using w = await workshop({ secret, window: 8_000 });
      w.file("a.txt", `${"x".repeat(before)}${secret}${"y".repeat(9_000)}\n`);
      let offset: number | string | undefined;
      let all = "";
      do {
        const result = await w.call("Read", { file_path: "a.txt", ...(offset !== undefined && { offset }) });
        all += textOf(result)
          .split("\n")
          .slice(1)
          .join("\n")
          .replace(/^\d+@\d+\t/, "");
        offset = (result.details as { nextOffset?: number | string }).nextOffset;
      } while (offset !== undefined);
      expect(uncovered(all)).toEqual([]);
    }
  });

  it("keeps the numbers of the lines after it when it has several lines", async () => {
    const key = `-----BEGIN KEY-----\n${"a1B2".repeat(16)}\n${"c3D4".repeat(16)}\n-----END KEY-----`;
    await using w = await workshop({ secret: key });
    w.file("a.pem", `${key}\nafter\n`);
    expect(await w.say("Read", { file_path: "a.pem", offset: 5 })).toContain("5\tafter");
    const inside = await w.say("Read", { file_path: "a.pem", offset: 2, limit: 1 });
    expect(inside).toBe("[lines 2-2 of 5; truncated, next offset 3]\n2\t[redacted]");
    expect(await w.say("Grep", { pattern: "a1B2", path: "." })).not.toContain("a1B2");
  });

  it("is not revealed by the columns that Grep shows of a long line", async () => {
    await using w = await workshop({ secret });
    for (let before = 370; before < 401; before++) w.file(`${before}.txt`, `find${"x".repeat(before)}${secret}yyyy\n`);
    for (const pattern of ["find", "yyyy", "sk-live"]) {
      const text = await w.say("Grep", { pattern, limit: 50 });
      expect(text).toContain("400.txt");
      expect(uncovered(text)).toEqual([]);
    }
  });

  it("is not revealed by the diff of an edit next to it, which cuts long lines", async () => {
    for (let before = 370; before < 401; before++) {
      await using w = await workshop({ secret });
      w.file("a.txt", `mode=one ${"x".repeat(before)}${secret}\n`);
      await w.say("Read", { file_path: "a.txt" });
      const { details } = await w.call("Edit", { file_path: "a.txt", old_string: "mode=one", new_string: "mode=two" });
      expect(uncovered((details as { diff: string }).diff)).toEqual([]);
    }
  });

  it("cannot be split by an Edit to read it in pieces", async () => {
    await using w = await workshop({ secret });
    w.file("a.env", `KEY=${secret}\nMODE=1\n`);
    await w.say("Read", { file_path: "a.env" });
    for (const args of [
      { old_string: "sk-", new_string: "sk-\n" },
      { old_string: "T", new_string: " T ", replace_all: true },
      { old_string: `${secret}\nMODE`, new_string: "MODE" },
    ])
      expect((await w.call("Edit", { file_path: "a.env", ...args })).details).toEqual({ code: "EDIT_SECRET" });
    expect(await w.say("Edit", { file_path: "a.env", old_string: "MODE=1", new_string: "MODE=2" })).toContain("Edited");
    expect(w.text("a.env")).toBe(`KEY=${secret}\nMODE=2\n`);
  });

  it("is also redacted in its JSON and URL encodings", async () => {
    const odd = 'p"ss\\w/rd of mine';
    await using w = await workshop({ secret: odd });
    w.file("a.json", `${JSON.stringify({ key: odd, url: `https://x/?k=${encodeURIComponent(odd)}` })}\n`);
    expect(await w.say("Read", { file_path: "a.json" })).toBe(
      '[lines 1-1 of 1]\n1\t{"key":"[redacted]","url":"https://x/?k=[redacted]"}',
    );
  });

  it("does not appear in any part of any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("ab", secret, "\n", "sk-", secret.slice(0, 9)), { maxLength: 12 }),
        async (parts) => {
          await using w = await workshop({ secret });
          w.file("a.txt", `${parts.join("")}.`);
          for (let line = 1; line <= parts.filter((part) => part === "\n").length + 1; line++)
            for (const byte of [0, 1, 5, 23, 25, 40]) {
              const text = await w.say("Read", { file_path: "a.txt", offset: `${line}:${byte}` }).catch(String);
              expect(text).not.toContain(secret.slice(9));
            }
        },
      ),
      { numRuns: 30 },
    );
  });
});
