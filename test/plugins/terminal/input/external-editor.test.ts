import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { editInEditor, editorOf } from "../../../../plugins/terminal/input/external-editor.ts";
import { eventually } from "../../../eventually.ts";
import { gate } from "../../../model-server.ts";
import { desk, key } from "./desk.ts";

const folder = mkdtempSync(join(tmpdir(), "editor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that serves as an editor; its last argument is the file. */
function editor(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const PATH = process.env.PATH;

describe("the person's editor", () => {
  it("is $VISUAL, else $EDITOR, else one that is installed", () => {
    const vi = editor("vi", "");
    expect(vi).toContain("vi");
    expect([
      editorOf({ VISUAL: "code --wait", EDITOR: "ed" }),
      editorOf({ VISUAL: " ", EDITOR: "ed" }),
      editorOf({ PATH: folder }),
    ]).toEqual(["code --wait", "ed", "vi"]);
    expect(() => editorOf({ PATH: "/nowhere" })).toThrow(
      expect.objectContaining({ code: "TERMINAL_NO_EDITOR", message: expect.stringContaining("export EDITOR=nano") }),
    );
  });

  it("gets the text in a private file without keys of providers, and returns what it saved", async () => {
    const log = join(folder, "log");
    const program = editor(
      "noting",
      `for path; do :; done; { stat -c '%a' "$path" "$(dirname "$path")"; echo "$1 [$MY_API_KEY]"; echo "$path"; cat "$path"; } > ${log}; printf 'new text\\n' > "$path"`,
    );
    const env = { PATH, EDITOR: `${program} --wait`, MY_API_KEY: "secret" };
    expect(await editInEditor("old $(id) `id` 你好", env)).toBe("new text");
    const [mode, folderMode, flag, path = "", text] = readFileSync(log, "utf8").split("\n");
    expect([mode, folderMode, flag, text, existsSync(path)]).toEqual(
      ["600", "700", "--wait []", "old $(id) `id` 你好", false], // and the file is gone
    );
  });

  it("keeps the text, and says why, when it fails", async () => {
    const failing = editor("failing", 'echo lost > "$1"; exit 3');
    const { field, type, at } = desk(
      {
        editElsewhere: (text) =>
          editInEditor(text, { PATH, EDITOR: failing }).catch((thrown: Error) => {
            at.tell(thrown.message);
            return undefined;
          }),
      },
      {},
    );
    type("mine", "\x07");
    await eventually(() => expect(at.told).toHaveLength(1));
    expect([field.text, at.told[0]]).toEqual(["mine", expect.stringContaining("failed (exit code 3)")]);
  });

  it("replaces the text by its own; a slash in it is not a command", async () => {
    const program = editor("slash", "printf '/permission full\\n' > \"$1\"");
    const { field, type, sent } = desk({ editElsewhere: (text) => editInEditor(text, { PATH, VISUAL: program }) });
    type("mine", "\x07");
    await eventually(() => expect(field.text).toBe("/permission full"));
    type(key.enter);
    expect(sent).toEqual([{ mode: "message", text: "/permission full", attachments: [] }]);
  });

  it("is opened once, however often its key arrives before it has the terminal", async () => {
    const opened: string[] = [];
    const closing = gate();
    const editElsewhere = async (text: string) => {
      opened.push(text);
      await closing.promise;
      return `${text} and more`;
    };
    const { field, type } = desk({ editElsewhere });
    type("mine", "\x07", "\x07");
    closing.open();
    await eventually(() => expect(field.text).toBe("mine and more"));
    expect(opened).toEqual(["mine"]);
  });
});
