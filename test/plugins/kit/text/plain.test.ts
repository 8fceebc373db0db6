import { describe, expect, it } from "vitest";
import { countedMarks, isVisible, plainText, visibleText } from "../../../../plugins/kit/text/plain.ts";

describe("plain text", () => {
  it.each([
    ["colours and cursor moves", "\u001b[1;31mred\u001b[0m\u001b[2J\u001b[10;10H!", "red!"],
    ["titles and links", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
    ["bells, backspaces and carriage returns", "a\u0007\bb\r\nc\u007f", "ab\nc"],
    ["control characters of eight bits", "a\u009b31mb\u0085c", "a31mbc"],
    ["an escape cut short", "a\u001b", "a"],
  ])("contains no %s", (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it("for a confirmation escapes every invisible character", () => {
    const hidden = "ls \u001b]0; rm -rf ~ \u0007\r\u202emr\u200b\u00a0\u3164\u2800\u{e0041}\ud800";
    expect(plainText(hidden)).not.toContain("rm -rf");
    expect(visibleText(hidden)).toBe(
      "ls \\u{1b}]0; rm -rf ~ \\u{7}\\u{d}\\u{202e}mr\\u{200b}\\u{a0}\\u{3164}\\u{2800}\\u{e0041}\\u{d800}",
    );
    expect(visibleText("a\n\tü 漢字 ⚠")).toBe("a\n\tü 漢字 ⚠");
  });

  it("escapes characters that change the direction of text or are invisible", () => {
    expect(plainText("a\u202egnp.exe b\u200bc\ufeffd\u{e0041}")).toBe(
      "a\\u{202e}gnp.exe b\\u{200b}c\\u{feff}d\\u{e0041}",
    );
    expect(plainText("\u200ea\u200fb\u061cc\u2028d\u2029")).toBe("\\u{200e}a\\u{200f}b\\u{61c}c\\u{2028}d\\u{2029}");
  });

  it("keeps newlines, tabs and all letters, including joined ones and flags", () => {
    const texts = [
      "a\n\tü 漢字 🙂",
      "\u{1f468}\u200d\u{1f4bb}",
      "می\u200cخواهم עברית",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ];
    for (const text of texts) expect(plainText(text)).toBe(text);
  });

  it("for a confirmation escapes everything that Unicode calls default-ignorable", () => {
    const ignorable: number[] = [];
    for (let code = 0; code <= 0x10_ffff; code++)
      if (/\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code))) ignorable.push(code);
    const named = [0x34f, 0x115f, 0x1160, 0x180b, 0x180e, 0x3164, 0xfe00, 0xfe0f, 0xffa0, 0xe0001, 0xe0020, 0xe0100];
    expect(named.filter((code) => !ignorable.includes(code))).toEqual([]);
    const seen = ignorable.filter(
      (code) => visibleText(`a${String.fromCodePoint(code)}`) !== `a\\u{${code.toString(16)}}`,
    );
    expect(seen).toEqual([]);
  });

  it("for a confirmation escapes the marks of a character after the fourth", () => {
    expect(visibleText(`e${"\u0301".repeat(6)} ש\u05bc\u05b8\u0596`)).toBe(
      `e${"\u0301".repeat(4)}\\u{301}\\u{301} ש\u05bc\u05b8\u0596`,
    );
    expect(visibleText(`e${"\u0301".repeat(2_000)}`).match(/\\u\{301\}/g)).toHaveLength(1_996);
  });

  it("is all seen with pictures in it, and not where a sign of pictures follows a letter", () => {
    expect(["⚠️ ♻\ufe0f", "1\ufe0f\u20e3", "漢字 e\u0301"].map(isVisible)).toEqual([true, true, true]);
    expect(["rm\ufe0f", "1\ufe0f", "a\u3164", "a\u034f", "\u{e0041}"].map(isVisible)).toEqual(Array(5).fill(false));
  });

  it("counts the marks of a character that has very many", () => {
    expect(countedMarks(`Ze${"\u0301".repeat(2_000)}!`)).toBe(`Ze${"\u0301".repeat(8)}(+1992)!`);
    const texts = ["漢字漢字漢字漢字漢字漢字", "plain", "มี่มี่มี่", "שָׁלוֹם"];
    expect(texts.map(countedMarks)).toEqual(texts);
  });
});
