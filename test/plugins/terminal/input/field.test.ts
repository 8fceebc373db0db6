import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentOf } from "../../../../plugins/terminal/input/content.ts";
import { droppedImage } from "../../../../plugins/terminal/input/dropped-image.ts";
import { freeMark } from "../../../../plugins/terminal/input/picture-marks.ts";
import type { Submission } from "../../../../plugins/terminal/parts.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { emulator } from "../emulator.ts";
import { desk, key, message, paste } from "./desk.ts";

describe("the field", () => {
  it("sends what is typed with Enter, and is empty then", () => {
    const { field, sent, type } = desk();
    type("héllo 你好 😀", key.enter);
    expect([sent, field.text, field.mode]).toEqual([[message("héllo 你好 😀")], "", "message"]);
    type(key.enter, "  ", key.enter);
    expect(sent).toHaveLength(1);
  });

  it("breaks the line with Shift-Enter, Alt-Enter, Ctrl-J and a backslash before Enter", () => {
    const { sent, type } = desk();
    type("a\x1b[13;2u", "b\x1b\r", "c\n", "d\\\r", "e", key.enter);
    expect(sent).toEqual([message("a\nb\nc\nd\ne")]);
  });

  it("steers with its key", () => {
    const { sent, steered, type } = desk();
    type("stop that", key.steer);
    expect([sent, steered]).toEqual([[], [message("stop that")]]);
  });

  it("asks for help at a question mark that is typed into it while it is empty, and only then", () => {
    const { field, sent, type } = desk();
    let asked = 0;
    field.onHelp = () => {
      asked++;
    };
    type("?", paste("?"), key.enter);
    expect([asked, sent]).toEqual([1, [message("?")]]);
    type("why", "?", key.enter, "/", "?", key.enter);
    expect([asked, sent.slice(1)]).toEqual([1, [message("why?"), { ...message("?"), mode: "command" }]]);
  });

  it("edits by words, lines and graphemes, with undo and a kill ring", () => {
    const { field, type } = desk();
    type("one two three", "\x17", "\x17", "\x19", "\x19");
    expect(field.text).toBe("one two threetwo three");
    type(key.undo);
    expect(field.text).toBe("one two three");
    type("\x15", "family 👨‍👩‍👧 e\u0301", key.backspace);
    expect(field.text).toBe("family 👨‍👩‍👧 ");
    type(key.backspace, key.backspace, key.home, "\x1bf", "!", "\x0b", "\x1b[1;5D", "\x1b[1;5D", "my ");
    expect(field.text).toBe("my family!");
  });

  it("becomes a command or shell line by the first character typed, and a message again by Backspace at its start", () => {
    const { field, sent, type } = desk();
    type("/", "help me");
    expect([field.mode, field.text]).toEqual(["command", "help me"]);
    type(key.home, key.backspace);
    expect([field.mode, field.text]).toEqual(["message", "help me"]);
    type(key.enter, "!ls", key.enter, "!!ls -l", key.enter);
    expect(sent).toEqual([
      message("help me"),
      { mode: "shell", text: "ls", attachments: [] },
      { mode: "shell", text: "ls -l", attachments: [], silent: true },
    ]);
    type("!!", key.backspace);
    expect(field.mode).toBe("shell");
    type(key.escape);
    expect(field.mode).toBe("message");
    type("a/b!", key.enter);
    expect(sent.at(-1)).toEqual(message("a/b!"));
  });

  it("becomes a command by a `/` before words that were all typed, and never before pasted, recalled or restored ones", () => {
    const { field, sent, type } = desk();
    type("status", key.home, "/", key.enter);
    expect(sent).toEqual([{ ...message("status"), mode: "command" }]);
    type("a b", key.left, "/", key.home, "!", key.enter);
    type(paste("status"), key.home, "/", key.enter);
    type("sta", paste("tus"), key.home, "/", key.enter);
    type("status", "\x15", "\x19", key.home, "/", key.enter);
    field.setText("status");
    type(key.home, "/", key.enter);
    type(paste("x"), key.backspace, "\x1f", key.home, "/", key.enter);
    const texts = ["!a /b", "/status", "/status", "/status", "/status", "/x"];
    expect(sent.slice(1)).toEqual(texts.map(message));
  });

  it("is a message again when the text of a command or shell line is deleted at once", () => {
    const { field, sent, type } = desk();
    for (const erase of ["\x15", "\x17", "\x1f"]) {
      type("!ls", erase);
      if (erase === "\x1f") type("\x1f", "\x1f", "\x1f");
      expect([erase, field.mode, field.text]).toEqual([erase, "message", ""]);
    }
    type("/help", "\x15", "words", key.enter);
    expect(sent).toEqual([message("words")]);
  });

  it("counts the lines of a paste without the end of the last one", () => {
    const { field, type } = desk();
    type(paste("line\n".repeat(50)));
    expect(field.render(60).join("\n")).toContain("[paste #1 +50 lines]");
  });

  it("treats a path at the beginning of a message as text", () => {
    const { sent, type } = desk();
    type("/tmp/foo is a long question", key.enter, "/compact src/a.ts", key.enter);
    expect(sent).toEqual([message("/tmp/foo is a long question"), { ...message("compact src/a.ts"), mode: "command" }]);
  });

  it("leaves keys that it does not use to the application", () => {
    const { unused, type } = desk();
    type(key.escape, "\x04", key.pageUp, "\x12", "x", "\x04", "\x1b[Z");
    expect(unused).toEqual([key.escape, "\x04", key.pageUp, "\x12", "\x1b[Z"]);
  });

  it("shows a long paste as a mark that is one character, and sends it whole", () => {
    const { field, sent, type } = desk();
    const long = Array.from({ length: 12 }, (_, index) => `\tline ${index}`).join("\n");
    type("see ", paste(long.replaceAll("\n", "\r\n")), " and");
    expect(field.render(60).join("\n")).toContain("> see [paste #1 +12 lines] and");
    type(key.left, key.left, key.left, key.left, key.left, "now: ", key.end, key.enter);
    expect(sent).toEqual([message(`see now: ${long} and`)]);
    type(paste("x".repeat(1001)), key.backspace);
    expect(field.text).toBe("");
  });

  it("opens a long paste into text by a key, and closes it by undo", () => {
    const { field, unused, type } = desk();
    const long = Array.from({ length: 11 }, (_, index) => `${index}`).join("\n");
    type(paste(long), key.openPaste);
    expect(field.render(60).join("\n")).not.toContain("paste #");
    expect(field.text).toBe(long);
    type(key.undo);
    expect(field.render(60).join("\n")).toContain("[paste #1 +11 lines]");
    type("\x15", key.openPaste);
    expect(unused).toEqual([key.openPaste]);
  });

  it("keeps what looks like the mark of a paste as it was written", () => {
    const { field, sent, type } = desk();
    const mark = "[paste #1 +12 lines]";
    type(paste("\n".repeat(11)), paste(`text ${mark}`), key.enter);
    expect(sent).toEqual([message(`${"\n".repeat(11)}text ${mark}`)]);
    type(paste("\n".repeat(11)));
    field.setText(`again ${mark}`);
    type(key.enter);
    expect(sent.at(-1)).toEqual(message(`again ${mark}`));
  });

  it("takes text with any number of marks for pastes and pictures", () => {
    const { field, sent, type } = desk();
    const marks = Array.from({ length: 150_000 }, (_, index) => `[paste #${index + 1}]`).join("\n");
    const same = "[paste #1]\n".repeat(20_000);
    type(paste("first\n".repeat(11)), paste(marks), key.enter);
    type(paste("first\n".repeat(11)));
    field.setText(same);
    type(key.enter);
    expect(sent).toEqual([message("first\n".repeat(11) + marks), message(same)]);
    const pictures = Array.from({ length: 50_000 }, (_, index) => `[image #${index + 1}]`).join("\n");
    expect(freeMark(pictures)).toBe("[image #50001]");
  });

  it("keeps several pastes apart beside a mark with the largest number", () => {
    const { sent, type } = desk();
    const [mark, first, second] = [`[paste #${Number.MAX_SAFE_INTEGER}]`, "1\n".repeat(11), "2\n".repeat(11)];
    type(paste(mark), paste(first), paste(second), key.enter);
    expect(sent).toEqual([message(mark + first + second)]);
  });

  it("shows and edits a line of any length", () => {
    const { field, sent, type } = desk();
    const line = "a word 字 👍🏽 ".repeat(4_000);
    field.setText(line);
    type("!", key.left, key.left, key.left, key.backspace, key.enter);
    expect(sent).toEqual([message(`${line.slice(0, -" 👍🏽 ".length)}👍🏽 !`)]);
  });

  it("removes control characters from pastes, and keeps tabs and every line end", () => {
    const { sent, type } = desk();
    type(paste("a\r\n\r\nb\rc\n\td\x1b[31m\x07\u009b\x00e"), key.enter);
    expect(sent).toEqual([message("a\n\nb\nc\n\tde")]);
    type(paste("tmux\x1b[106;5ubreaks lines so\x1b[27;5;106~or so"), key.enter);
    expect(sent.at(-1)).toEqual(message("tmux\nbreaks lines so\nor so"));
  });

  it("attaches an image whose path is pasted, as when the file is dropped on the terminal", () => {
    const folder = temporaryFolder("drop-");
    const path = join(folder, "my shot.png");
    writeFileSync(path, "");
    const { sent, type } = desk({ imageIn: (pasted) => droppedImage(pasted, folder) });
    for (const dropped of [path.replaceAll(" ", "\\ "), `'${path}'`, `file://${encodeURI(path)}`, "./my shot.png"])
      type("look at ", paste(dropped), "please", key.enter);
    const text = `look at [image ${path}] please`;
    const attached = { mode: "message", text, attachments: [{ mark: `[image ${path}]`, path }] };
    expect(sent).toEqual([attached, attached, attached, attached]);
    const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
    expect(() => contentOf(sent[0] as Submission)).toThrow("it is not a picture");
    writeFileSync(path, png);
    expect(contentOf(sent[0] as Submission)).toEqual([
      { type: "text", text },
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
    ]);
    rmSync(path);
    expect(() => contentOf(sent[0] as Submission)).toThrow(expect.objectContaining({ code: "TERMINAL_IMAGE" }));
    expect(contentOf(message("only text"))).toBe("only text");
    type(paste("/nowhere/a.png"), key.enter);
    expect(sent.at(-1)).toEqual(message("/nowhere/a.png"));
  });

  it("draws wide characters, tabs and long lines where the cursor says", async () => {
    const { field, type } = desk();
    using screen = emulator(20, 8);
    type(paste("你好\tworld 😀 and e\u0301 more text"), key.left, key.left);
    const lines = field.render(20);
    await screen.write(lines.join("\r\n"));
    expect(screen.text()).toBe(
      ["─".repeat(20), "> 你好   world 😀", "  and e\u0301 more text", "─".repeat(20)].join("\n"),
    );
    expect(field.cursor).toEqual({ row: 2, column: 15 });
    expect(screen.cells(2)[15]?.text).toBe("x");
  });

  it("does not draw characters that change the direction of text, but keeps them in the text", () => {
    const { field, type } = desk();
    type(paste("a\u202eb\u200bc שלום"));
    expect(field.render(30)[1]).toBe("> abc שלום");
    expect(field.text).toBe("a\u202eb\u200bc שלום");
  });

  it("scrolls a long text, and says how much is out of view", () => {
    const { field, type } = desk({}, { rows: 20 });
    type("1\n2\n3\n4\n5\n6\n7\n8");
    expect(field.render(20)).toEqual(
      ["── ↑ 2 ─────────────", "  3", "  4", "  5", "  6", "  7", "  8", "─".repeat(20)], // the last six lines
    );
    type(...Array(7).fill(key.up));
    expect([field.render(20)[1], field.render(20).at(-1)]).toEqual(["> 1", "── ↓ 2 ─────────────"]);
  });

  it("breaks lines between Chinese and Japanese characters, and begins none with closing punctuation", () => {
    const { field, type } = desk();
    const shown = (text: string, columns = 15) => {
      field.setText(text);
      // Two columns for the mark and one for the cursor.
      return field.render(columns).slice(1, -1);
    };
    expect({
      run: shown("see 修复购物车的总价计算错误"),
      closing: shown("修复购物车的，总价（小计）"),
      opening: shown("修复购物车（总价）"),
      mixed: shown("错误在cart文件里"),
      latin: shown("one two three four"),
      japanese: shown("カートの合計を直してー"),
    }).toEqual({
      run: ["> see 修复购物", "  车的总价计算", "  错误"],
      closing: ["> 修复购物车", "  的，总价（小", "  计）"],
      opening: ["> 修复购物车", "  （总价）"],
      mixed: ["> 错误在cart文", "  件里"],
      latin: ["> one two", "  three four"],
      japanese: ["> カートの合計", "  を直してー"],
    });
    shown("修复购物车的总价计算错误");
    type(key.up, "X");
    expect(field.text).toBe("修复购物车X的总价计算错误");
  });
});
