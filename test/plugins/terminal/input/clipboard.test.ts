import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clipboardImage } from "../../../../plugins/terminal/input/clipboard-image.ts";
import { clipboardPaste } from "../../../../plugins/terminal/input/clipboard-paste.ts";
import { contentOf } from "../../../../plugins/terminal/input/content.ts";
import { History } from "../../../../plugins/terminal/input/history.ts";
import { HistoryWalk } from "../../../../plugins/terminal/input/history-walk.ts";
import type { Submission } from "../../../../plugins/terminal/parts.ts";
import { en } from "../../../../plugins/terminal/words/en.ts";
import { eventually } from "../../../eventually.ts";
import { png, quarters } from "../../images/pictures.ts";
import { desk, key } from "./desk.ts";

const picture = png(8, 6, quarters(8, 6));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "clipboard-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Adds a program to the PATH, which otherwise contains only the system's programs. */
function program(name: string, script: string): Record<string, string> {
  writeFileSync(join(folder, name), `#!${process.execPath}\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return { PATH: folder };
}
const printing = (of: Buffer) => `process.stdout.write(Buffer.from("${of.toString("base64")}", "base64"));`;

describe("the clipboard's picture", () => {
  it("is what the program of the system prints, which is asked for a picture", async () => {
    const checked = `if (process.argv.slice(2).join(" ") !== "--no-newline --type image/png") process.exit(1);`;
    const env = program("wl-paste", checked + printing(picture));
    expect(await clipboardImage({ ...env, WAYLAND_DISPLAY: "wayland-0" }, "linux")).toEqual({ image: picture });
    expect(await clipboardImage(program("xclip", printing(picture)), "linux")).toEqual({ image: picture });
  });

  it("is taken out of what macOS and Windows print", async () => {
    const mac = program("osascript", `console.log("«data PNGf${picture.toString("hex").toUpperCase()}»");`);
    expect(await clipboardImage(mac, "darwin")).toEqual({ image: picture });
    const windows = program("powershell.exe", `console.log("${picture.toString("base64")}");`);
    expect(await clipboardImage(windows, "linux")).toEqual({ image: picture });
  });

  it.each([
    ["no program", () => ({ PATH: folder })],
    ["no image", () => program("xclip", 'process.stderr.write("target image/png not available"); process.exit(1);')],
    ["no image", () => program("xclip", 'process.stdout.write("only text");')],
    ["too large", () => program("xclip", `process.stdout.write(Buffer.alloc(45_000_000));`)],
  ])("is missing: %s", async (problem, env) => {
    expect(await clipboardImage(env(), "linux")).toEqual({ problem });
  });

  it("is given up when the program does not answer", async () => {
    const env = program("xclip", "setInterval(() => {}, 1_000);");
    expect(await clipboardImage(env, "linux", 200)).toEqual({ problem: "too slow" });
  });
});

describe("Ctrl-V", () => {
  it("attaches it to the message at the place of its mark", async () => {
    const env = { ...program("xclip", printing(picture)), WAYLAND_DISPLAY: "" };
    // A method that needs its object, as that of the application.
    const place = {
      ...{ env, words: en, told: [] as string[] },
      tell(text: string) {
        this.told.push(text);
      },
    };
    const { told } = place;
    const { field, sent, type } = desk({ pasteImage: clipboardPaste(place) });
    type("look at ", "\x16");
    await eventually(() => expect(field.text).toBe("look at [image #1] "));
    type("please", "\r");
    expect(contentOf(sent[0] as Submission)).toEqual([
      { type: "text", text: "look at [image #1] please" },
      { type: "image", mimeType: "image/png", data: picture.toString("base64") },
    ]);
    type("!", "\x16");
    await eventually(() => expect(told).toEqual([en.imagesInMessages]));
    program("xclip", "process.exit(1);");
    type("\x7f", "\x16");
    await eventually(() => expect(told.at(-1)).toBe("There is no picture in the clipboard."));
    expect(field.text).toBe("");
  });

  /** A field in a project in whose history another process has stored a text, and a picture for the clipboard. */
  async function pasting() {
    const env = { ...program("xclip", printing(picture)), WAYLAND_DISPLAY: "" };
    const stored = join(folder, "history.jsonl");
    await new History(stored).add({ mode: "message", text: "[image #1] why red?" });
    const history = new HistoryWalk(new History(stored), () => {});
    const t = desk({ history, pasteImage: clipboardPaste({ env, tell() {}, words: en }) });
    t.type("\x16");
    await eventually(() => expect(t.field.text).toBe("[image #1] "));
    return t;
  }
  const attachments = [{ mark: "[image #1]", image: picture }];

  it("attaches it again when its message is recalled", async () => {
    const { type, sent, field } = await pasting();
    type("look", key.enter, "another", key.enter, "own", key.up, key.up, " again");
    expect([field.text, field.attachments]).toEqual(["[image #1] look again", attachments]);
    type(key.enter);
    expect(sent).toEqual([
      { mode: "message", text: "[image #1] look", attachments },
      { mode: "message", text: "another", attachments: [] },
      { mode: "message", text: "[image #1] look again", attachments },
    ]);
  });

  it("never attaches it to another text that contains its mark", async () => {
    const { type, sent } = await pasting();
    type("look", key.enter, key.up, key.up, key.enter, "in [image #1] the button is off", key.enter);
    expect(sent).toEqual([
      { mode: "message", text: "[image #1] look", attachments },
      { mode: "message", text: "[image #1] why red?", attachments: [] },
      { mode: "message", text: "in [image #1] the button is off", attachments: [] },
    ]);
  });

  it("keeps it with a text that is being written, while texts of the history are shown instead", async () => {
    const { type, field } = await pasting();
    type("look", key.up);
    expect([field.text, field.attachments]).toEqual(["[image #1] why red?", []]);
    type(key.down);
    expect([field.text, field.attachments]).toEqual(["[image #1] look", attachments]);
    type(key.up, key.undo);
    expect([field.text, field.attachments]).toEqual(["[image #1] why red?", []]);
  });

  it("gives it a mark that is not in the text yet", async () => {
    const { type, field } = await pasting();
    type(key.enter, key.up, key.up, " [image #2] ", "\x16");
    await eventually(() => expect(field.attachments).toEqual([{ mark: "[image #3]", image: picture }]));
    expect(field.text).toBe("[image #1] why red? [image #2] [image #3] ");
  });
});
