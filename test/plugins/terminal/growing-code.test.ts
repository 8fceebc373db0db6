import { describe, expect, it } from "vitest";
import type { Drawing } from "../../../plugins/terminal/rows/drawing.ts";
import { loadHighlighter } from "../../../plugins/terminal/rows/highlight.ts";
import { GrowingText } from "../../../plugins/terminal/rows/stream.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";

const theme = themeOf("dark", dark);
const highlight = (await loadHighlighter())(theme);

/** A drawing that counts the lines that are highlighted. */
function counting(): Drawing & { coloured: number } {
  const drawing = {
    theme,
    coloured: 0,
    highlight(code: string, language: string) {
      drawing.coloured += code.split("\n").length;
      return highlight(code, language);
    },
  };
  return drawing;
}

const fence = "```";
const lines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));
const functions = lines(
  50,
  (at) => `function f${at}(a: number,\n  b = "x"): string {\n  return \`\${a} ${at}\`; // ${at}\n}`,
);
const comment = ["/*", ...lines(55, (at) => `const inComment${at} = "no text"; // ${at}`), "*/"];
const text = ["const page = `", ...lines(55, (at) => `  if (${at}) return "not code";`), "`;"];
const scalar = [
  "key: |",
  ...lines(100, (at) => `  other${at}: "value" # ${at}`),
  "next: 1 # note",
  ...lines(60, (at) => `k${at}: true`),
];
const macro = [
  "#define LONG(x) \\",
  ...lines(60, (at) => `  call${at}("x"); \\`),
  "  end()",
  ...lines(60, (at) => `int a${at} = ${at};`),
];

/**
 * Draws a block of code that arrives line by line. Every 11 lines, `compare` gets the result, and that of drawing all
 * lines at once.
 */
function arrive(language: string, code: readonly string[], compare?: (grown: string[], whole: string[]) => void) {
  const drawing = counting();
  const growing = new GrowingText();
  const plain = { theme, highlight };
  for (const at of code.keys()) {
    const arrived = `Here it is:\n\n${fence}${language}\n${code.slice(0, at + 1).join("\n")}`;
    const grown = growing.draw(arrived, 100, drawing);
    if (at % 11 === 0) compare?.(grown, new GrowingText().draw(arrived, 100, plain));
  }
  return drawing;
}

describe("code that arrives", () => {
  it.each([
    ["ts", [...functions, ...comment, ...text, ...functions.slice(30)]],
    ["yaml", scalar],
    ["c", macro],
    ["", functions],
  ])("looks in each frame (%s) as if it were drawn at once", (language, parts) => {
    const code = parts.join("\n").split("\n");
    arrive(language, code, (grown, whole) => expect(grown).toEqual(whole));
  });

  it("highlights the same few lines for each frame, however long it is", () => {
    const code = functions.join("\n").split("\n");
    const { coloured } = arrive("ts", code);
    expect(code).toHaveLength(200);
    // Without reuse, it would be 100 lines for each drawing.
    expect(coloured / code.length).toBeLessThan(40);
  });

  it("is drawn as a whole when it is complete, or in another width", () => {
    const drawing = counting();
    const growing = new GrowingText();
    const code = [...functions, ...comment].join("\n").split("\n");
    for (const at of code.keys()) growing.draw(`${fence}ts\n${code.slice(0, at + 1).join("\n")}`, 100, drawing);
    const all = `${fence}ts\n${code.join("\n")}\n${fence}\n\nThat is it.`;
    for (const width of [100, 44])
      expect(growing.draw(all, width, drawing)).toEqual(new GrowingText().draw(all, width, drawing));
  });
});
