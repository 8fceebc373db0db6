import { describe, expect, it } from "vitest";
import { imageLines, imagesIn } from "../../../plugins/terminal/rows/images.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { Canvas } from "../../../plugins/terminal/screen/canvas.ts";
import { type Graphics, graphicsOf, Pictures } from "../../../plugins/terminal/screen/pictures.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { usedBytes } from "../../memory.ts";
import { png, quarters } from "../images/pictures.ts";
import { emulator } from "./emulator.ts";

const ESC = "\u001b";
const bytes = png(180, 90, quarters(180, 90));
const image = { data: bytes.toString("base64"), mimeType: "image/png" };
const theme = { name: "none", style: (_role: unknown, text: string) => text };
const lookWith = (pictures?: Pictures) =>
  ({ theme, words: en, drawing: { theme }, isExpanded: false, pictures }) as unknown as Look;
const drawn = (pictures?: Pictures, of = image) => imageLines([of], 60, lookWith(pictures), {});
const caption = `▣ image: png, 180×90, ${Math.max(1, Math.round(bytes.length / 1000))} KB`;

/** A screen of eight rows that shows a picture of 20 × 5 cells in a longer text; `paint` returns the output. */
function stage(graphics: Graphics) {
  let now = 0;
  const pictures = new Pictures(graphics, () => now);
  const canvas = new Canvas(pictures);
  canvas.resize(40, 8);
  const text = ["one", ...drawn(pictures), "two", "three", "four", "five"];
  const paint = (top: number) => canvas.paint({ lines: text.slice(top, top + 8), moving: 8 });
  return { canvas, paint, later: (ms: number) => (now += ms) };
}

/** The control sequences of pictures in an output, without ids. */
const sequences = (output: string) =>
  Array.from(
    output.replaceAll(ESC, "^").matchAll(/\^_G([^;^]*)|\^\](1337;[^:]*)|\^\[(\d+;\d+)H(?=\^[_\]])/g),
    (match) => (match[1] ?? match[2] ?? match[3] ?? "").replace(/i=\d+/, "i=N"),
  );

describe("a picture in the conversation", () => {
  it("is a line with its size where the terminal shows none", () => {
    expect(drawn()).toEqual([caption]);
  });

  it("has rows of its own where the terminal shows it", () => {
    expect(drawn(new Pictures("kitty"))).toHaveLength(6);
    expect(drawn(new Pictures("kitty"))[0]).toBe(caption);
  });

  it("is a line if it is damaged, too large, of a kind that the terminal does not show, or not written as pictures are", () => {
    const pictures = new Pictures("kitty");
    const jpeg = { data: Buffer.from("\xff\xd8\xff\xe0", "latin1").toString("base64"), mimeType: "image/jpeg" };
    const forged = { ...image, data: `${image.data.slice(0, 60)}${ESC}\\${ESC}]52;c;b3duZWQ=\u0007` };
    const huge = { ...image, data: image.data + "A".repeat(4_000_000) };
    for (const each of [jpeg, forged, huge, { data: "", mimeType: "image/png" }]) {
      const lines = drawn(pictures, each);
      expect([lines.length, lines.join("").includes(ESC)]).toEqual([1, false]);
    }
    expect(
      imagesIn({
        message: { content: [null, { type: "image", data: 1 }, { type: "text" }, { type: "image", ...image }] },
      }),
    ).toEqual([{ type: "image", ...image }]);
  });

  it("is sent to Kitty once, placed, cut at the edge of the view, and removed where it was", async () => {
    const { paint } = stage("kitty");
    using screen = emulator(40, 8);
    const outputs = [paint(0), paint(0), paint(4), paint(7)];
    for (const output of outputs) await screen.write(output);
    expect(outputs.map(sequences)).toEqual([
      ["3;3", "a=t,f=100,i=N,q=2,m=0", "a=p,i=N,p=3,c=20,r=5,C=1,q=2"],
      [],
      ["a=d,d=i,i=N,p=3,q=2", "1;3", "a=p,i=N,p=1,c=20,r=3,y=36,h=54,C=1,q=2"],
      ["a=d,d=i,i=N,p=1,q=2"],
    ]);
    expect(screen.lines().slice(0, 4)).toEqual(["two", "three", "four", "five"]);
  });

  it("is sent to iTerm2 whole, once it no longer moves, and its cells are emptied before others are written", async () => {
    const { paint, canvas, later } = stage("iterm2");
    using screen = emulator(40, 8);
    const first = paint(0);
    expect([sequences(first), canvas.waits]).toEqual([[], 150]);
    later(150);
    const second = paint(0);
    expect([sequences(second), canvas.waits]).toEqual([
      ["3;3", "1337;File=inline=1;width=20;height=5;preserveAspectRatio=1"],
      0,
    ]);
    const third = paint(4);
    expect(third.startsWith(`${ESC}[3;3H${ESC}[20X${ESC}[4;3H`)).toBe(true);
    later(500);
    const fourth = paint(4);
    expect([sequences(third), sequences(fourth)]).toEqual([[], []]);
    for (const output of [first, second, third, fourth]) await screen.write(output);
    expect(screen.lines().slice(3, 7)).toEqual(["two", "three", "four", "five"]);
  });

  it("is sent again after the screen was cleared, since Kitty deletes the data of pictures with the screen", () => {
    const { paint, canvas } = stage("kitty");
    const first = sequences(paint(0));
    canvas.forget();
    const afterForget = sequences(paint(0));
    canvas.resize(40, 8);
    expect([afterForget, sequences(paint(0))]).toEqual([first, first]);
    expect(sequences(paint(0))).toEqual([]);
  });
});

it("keeps no copy of a picture's data for each of its sizes", async () => {
  const pictures = new Pictures("kitty");
  const data = "A".repeat(2_000_000);
  const before = await usedBytes();
  for (let columns = 1; columns <= 60; columns++) pictures.lines({ data, height: 400 }, columns, 5);
  expect(((await usedBytes()) - before) / data.length).toBeLessThan(10);
});

it.each([
  [{ TERM: "xterm-kitty" }, "kitty"],
  [{ TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }, "kitty"],
  [{ TERM: "xterm-ghostty" }, "kitty"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "iterm2"],
  [{ TERM: "xterm-256color", LC_TERMINAL: "iTerm2" }, "iterm2"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "iterm2"],
  [{ TERM: "tmux-256color", KITTY_WINDOW_ID: "1" }, undefined],
  [{ TERM: "xterm-kitty", TMUX: "/tmp/tmux" }, undefined],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "vscode" }, undefined],
  [{}, undefined],
])("knows whether a terminal shows pictures: %j", (env, graphics) => {
  expect(graphicsOf("auto", env)).toBe(graphics);
  expect([graphicsOf("off", env), graphicsOf("iterm2", env)]).toEqual([undefined, "iterm2"]);
});
