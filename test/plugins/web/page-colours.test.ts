import { describe, expect, it } from "vitest";
import { GrowingColours } from "../../../plugins/web/page/markdown/growing-colours.ts";
import { colour } from "../../../plugins/web/page/markdown/highlighter.ts";
import { piecesOf } from "../../../plugins/web/page/markdown/pieces.ts";
import { payloads } from "../transfer/payloads.ts";

describe("the colours of code", () => {
  it("name what each piece is", () => {
    expect(colour('const a = "<b>"; // x', "ts")).toEqual([
      { text: "const", kind: "keyword" },
      { text: " a = " },
      { text: '"<b>"', kind: "string" },
      { text: "; " },
      { text: "// x", kind: "comment" },
    ]);
  });

  it("leave the code as it is, whatever it contains", () => {
    for (const language of ["html", "js", "css", "xml", "markdown", "bash"])
      for (const code of [...payloads("http://127.0.0.1"), '<span class="hljs-keyword">x</span> &amp; &lt;'])
        expect(
          colour(code, language)
            ?.map(({ text }) => text)
            .join(""),
        ).toBe(code);
  });

  it("are not known for an unknown language", () => {
    expect(colour("a", "nothing-like-it")).toBeUndefined();
    expect(colour("a", "__proto__")).toBeUndefined();
  });

  it("take no kind from names that objects have anyway", () => {
    expect(piecesOf('<span class="hljs-constructor">a</span>')).toEqual([{ text: "a" }]);
  });
});

describe("the colours of code that grows", () => {
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of a long code\n`).join("");

  it("are computed a few times, not for each word", () => {
    let read = 0;
    const growing = new GrowingColours((code) => {
      read += code.length;
      return [{ text: code, kind: "name" }];
    });
    for (let end = 1; end <= lines.length; end += 5) growing.of(lines.slice(0, end), false);
    expect(growing.of(lines, true)).toEqual({ pieces: [{ text: lines, kind: "name" }], rest: "" });
    expect(read).toBeLessThan(8 * lines.length);
  });

  it("are missing from what has arrived since, until it comes to rest", () => {
    const growing = new GrowingColours((code) => [{ text: code, kind: "name" }]);
    const pieces = (text: string) => [{ text, kind: "name" }];
    expect(growing.of("one", false)).toEqual({ pieces: pieces("one"), rest: "" });
    expect(growing.of("one two", false)).toEqual({ pieces: pieces("one"), rest: " two" });
    expect(growing.of("one two", true)).toEqual({ pieces: pieces("one two"), rest: "" });
    expect(growing.of("other", false)).toEqual({ pieces: pieces("other"), rest: "" });
  });
});
