import { expect, it } from "vitest";
import { delayUntil, gate, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type FullScreen, type FullScreenOptions, fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

async function stage(replies: readonly Reply[], options?: FullScreenOptions) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl, '\n[permissions]\nmode = "full"\n');
  const t = fullScreen(s, [], options);
  await t.shows("scripted-model");
  const dispose = async () => {
    await t[Symbol.asyncDispose]();
    await server.close();
    s[Symbol.dispose]();
  };
  return { t, [Symbol.asyncDispose]: dispose };
}

async function say(t: FullScreen, words: string, answer: string) {
  t.type(words);
  await t.shows(`> ${words}`);
  t.type("\r");
  await t.shows(answer);
}

const WHITE = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\";
const rowWith = (t: FullScreen, words: string) => t.screen.lines().findIndex((line) => line.includes(words));
/** The colour of the first cell in the row with this text. */
const colorOf = (t: FullScreen, words: string) => t.screen.cells(rowWith(t, words))[0]?.color;
const colored = (t: FullScreen) =>
  t.screen
    .lines()
    .flatMap((_, row) => t.screen.cells(row).filter(({ color, behind }) => (color ?? behind) !== undefined));
const bash = toolCall("Bash", { command: "seq 101 116" });

describeWith("script", "the screen", () => {
  it("uses the theme for the background colour that the terminal reports", async () => {
    await using at = await stage([text("Hello.")]);
    const { t } = at;
    await say(t, "hi", "Hello.");
    expect(t.sent()).toContain("\u001b]11;?");
    const dark = colorOf(t, "▌ hi");
    t.type(`${WHITE}seen`);
    await t.shows("> seen");
    expect([dark, colorOf(t, "▌ hi")]).toEqual([111, 25]);
  });

  it("has no colours with NO_COLOR", async () => {
    await using at = await stage([[text("Look: `code`."), bash], text("Done.")], { env: { NO_COLOR: "1" } });
    await say(at.t, "hi", "Done.");
    at.t.type(`${WHITE}seen`);
    await at.t.shows("> seen");
    expect(colored(at.t)).toEqual([]);
  });

  it("speaks the language of the locale", async () => {
    await using at = await stage([text("好的。")], { env: { LANG: "zh_CN.UTF-8" } });
    await at.t.shows("? 显示所有按键");
    await say(at.t, "你好", "好的。");
    expect(at.t.screen.text()).toMatch(/^完全 · scripted-model/m);
  });

  it("opens a card at a click, folds it at another, and scrolls with the wheel", async () => {
    await using at = await stage([[text("First."), bash], text("Second.")], { columns: 80, rows: 16 });
    const { t } = at;
    await say(t, "hi", "Second.");
    await t.shows("13 more lines above");
    const click = () => t.type(`\u001b[<0;5;${rowWith(t, "seq 101") + 1}M\u001b[<0;5;1m`);
    click();
    await t.hides("more lines above");
    await t.hides("seq 101");
    for (let turn = 0; turn < 5; turn++) t.type("\u001b[<64;1;1M");
    await t.shows("│ 101");
    await t.shows("below · Ctrl-End");
    click();
    await t.shows("13 more lines above");
    for (let turn = 0; turn < 9; turn++) t.type("\u001b[<65;1;1M");
    await t.shows("Second.");
  });

  it("shows the same after any sizes while a reply arrives as in a terminal that had its size all the time", async () => {
    const held = [gate(), gate()];
    const words = (from: number) => text(Array.from({ length: 40 }, (_, at) => `word${from + at} `).join(""), 5);
    const reply = () => [words(0), delayUntil((held[0] as { promise: Promise<void> }).promise), words(40)];
    await using at = await stage([[...reply(), text("\n\n漢字 👩‍💻 e\u0301.")]]);
    const { t } = at;
    await say(t, "hi", "word39");
    t.resize(40, 24);
    held[0]?.open();
    await t.shows("漢字");
    t.resize(200, 24);
    await t.shows(/word0 .*word24/);
    t.resize(80, 24);
    await t.shows("漢字 👩‍💻 e\u0301.");
    await t.hides("to interrupt");
    await using other = await stage([[words(0), words(40), text("\n\n漢字 👩‍💻 e\u0301.")]]);
    await say(other.t, "hi", "漢字 👩‍💻 e\u0301.");
    await other.t.hides("to interrupt");
    expect(t.screen.text()).toBe(other.t.screen.text());
  });

  it("turns the mouse wheel in the help that covers the conversation, and leaves the conversation as it was", async () => {
    await using at = await stage([[text("Look."), bash], text("Done.")]);
    const { t } = at;
    await say(t, "hi", "Done.");
    const before = t.screen.text();
    t.type("?");
    await t.shows("Keys and commands");
    const [wheel, click] = ["\u001b[<65;5;5M", "\u001b[<0;5;5M"];
    await t.shows("in an empty field: this help");
    t.type(click + wheel.repeat(3));
    await t.hides("in an empty field: this help");
    t.type("\u001b");
    await t.hides("Keys and commands");
    expect(t.screen.text()).toBe(before);
  });
});
