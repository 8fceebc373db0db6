import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { highlighted, isHighlightable } from "../../../../plugins/kit/markdown/highlighted.ts";

const hljs = createRequire(new URL("../../../../plugins/terminal/package.json", import.meta.url))(
  "highlight.js/lib/common",
);
const whole = (code: string, language: string): string =>
  hljs.highlight(code, { language, ignoreIllegals: true }).value;
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
const source = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8").slice(0, 20_000);

describe("code that is highlighted in pieces", () => {
  it.each([
    ["plugins/kit/markdown/highlighted.ts", "typescript"],
    ["plugins/agent/facade.ts", "typescript"],
    ["package.json", "json"],
    ["pnpm-workspace.yaml", "yaml"],
    [".ci/run", "bash"],
    ["docs/guide/terminal.md", "markdown"],
  ])("looks as if all of it was highlighted at once: %s", (path, language) => {
    const code = source(path);
    expect(highlighted(hljs, code, language)).toEqual({ markup: whole(code, language), rest: "", isWhole: true });
  });

  it("is not split within a comment, however long that is", () => {
    const code = `int a;\n/*\n${"int b; // no comment\n".repeat(200)}*/\nint c;\n`;
    expect(highlighted(hljs, code, "c")?.markup).toBe(whole(code, "c"));
    expect(highlighted(hljs, code.slice(0, 3_000), "c")).toMatchObject({ rest: "", isWhole: false });
  });

  it("loses none of its text if there is no time for all of it, as with what looks like endless types of C#", () => {
    const code = "List<int> a\n".repeat(1_600);
    const { markup = "", rest = "", isWhole } = highlighted(hljs, code, "csharp") ?? {};
    expect([textOf(markup) + rest === code, markup === "", isWhole && rest !== ""]).toEqual([true, false, false]);
  }, 20_000);

  it("has no colours in a language that is not known", () => {
    expect(highlighted(hljs, "a", "klingon")).toBeUndefined();
  });

  it("is not too long, and no line of it is", () => {
    const [line, most] = ["x".repeat(1_000), 20_000];
    expect([line, `${line}x`, "x\n".repeat(most / 2), `${"x\n".repeat(most / 2)}x`].map(isHighlightable)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
