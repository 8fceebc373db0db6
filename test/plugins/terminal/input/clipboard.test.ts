import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clipboardImage } from "../../../../plugins/terminal/input/clipboard-image.ts";
import { clipboardPaste } from "../../../../plugins/terminal/input/clipboard-paste.ts";
import { contentOf } from "../../../../plugins/terminal/input/content.ts";
import type { Submission } from "../../../../plugins/terminal/parts.ts";
import { en } from "../../../../plugins/terminal/words/en.ts";
import { eventually } from "../../../eventually.ts";
import { png, quarters } from "../../images/pictures.ts";
import { desk } from "./desk.ts";

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
    const told: string[] = [];
    const place = { env, tell: (text: string) => void told.push(text), words: en };
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
});
