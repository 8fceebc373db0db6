import { describe, expect, it } from "vitest";
import { rowsOfWidth } from "../../../../plugins/kit/text/table-rows.ts";

const table = [
  "Options:",
  "  -p, --print <prompt>  Answer one prompt and exit; piped input is appended",
  "  --plain               Talk line by line",
].join("\n");

describe("rows of a table", () => {
  it("are broken at words, below their second column", () => {
    expect(rowsOfWidth(table, 60).split("\n")).toEqual([
      "Options:",
      "  -p, --print <prompt>  Answer one prompt and exit; piped",
      "                        input is appended",
      "  --plain               Talk line by line",
    ]);
  });

  it("have it below the first one where both have no room side by side", () => {
    expect(rowsOfWidth(table, 44).split("\n")).toEqual([
      "Options:",
      "  -p, --print <prompt>",
      "        Answer one prompt and exit; piped",
      "        input is appended",
      "  --plain               Talk line by line",
    ]);
  });

  it("stay as they are where they fit", () => {
    expect(rowsOfWidth(table, 80)).toBe(table);
  });

  it("of wide characters are broken where they do not fit", () => {
    expect(rowsOfWidth("表".repeat(20), 30)).toBe(`${"表".repeat(15)}\n${"表".repeat(5)}`);
  });

  it("of very many blanks are broken at once", () => {
    const row = `a${" ".repeat(1_000_000)}`;
    expect(rowsOfWidth(row, 80).replaceAll("\n", "").trim()).toBe("a");
  });
});
