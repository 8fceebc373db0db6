import { expect, it } from "vitest";
import { fc } from "../../property.ts";
import { workshop } from "./workshop.ts";

it("Edit changes nothing outside its match, whatever the bytes", async () => {
  await using w = await workshop();
  const piece = fc.constantFrom("a", "ab", "\n", "\r\n", "é", "日本", " ", "x\ty", "\r", "b");
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  const inserted = fc.array(fc.constantFrom("new", "é", " ", "!"), { maxLength: 4 }).map((parts) => parts.join(""));
  const encoding = fc.constantFrom("utf8" as const, "latin1" as const);
  const match = fc.constantFrom("<match>", "<two\nlines>", "<two\r\nlines>", "\n<m>", "\r\n<m>", "<m>\r\n");
  await fc.assert(
    fc.asyncProperty(
      text,
      match,
      text,
      inserted,
      encoding,
      fc.boolean(),
      async (before, match, after, put, kind, marked) => {
        const fits = (part: string) => kind === "utf8" || !/[^\0-\xff]/.test(part);
        // A lone return before the match's line feed would become a part of the match.
        fc.pre(fits(before) && fits(after) && !(before.endsWith("\r") && match.startsWith("\n")));
        // A byte that is not UTF-8 alone makes the file Latin-1; the match itself occurs nowhere else.
        const start = Buffer.from(`${kind === "latin1" ? "\xff" : marked ? "\ufeff" : ""}${before}`, kind);
        const end = Buffer.from(after, kind);
        w.file("a.txt", Buffer.concat([start, Buffer.from(match), end]));
        await w.call("Read", { file_path: "a.txt" });
        const result = await w.call("Edit", {
          file_path: "a.txt",
          old_string: match.replace("\r\n", "\n"),
          new_string: put,
        });
        expect(result.isError).toBeUndefined();
        expect(w.bytes("a.txt")).toEqual(Buffer.concat([start, Buffer.from(put, kind), end]));
      },
    ),
    { numRuns: 250 },
  );
});
