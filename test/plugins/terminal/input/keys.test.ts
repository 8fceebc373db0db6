import type { ListedCommand } from "@scorel/commands/contract";
import { describe, expect, it } from "vitest";
import { canonical, keyLabel } from "../../../../plugins/kit/terminal/key-names.ts";
import { Help } from "../../../../plugins/terminal/app/help.ts";
import { keySettings } from "../../../../plugins/terminal/input/key-config.ts";
import { createKeys, keyOf, keyRows } from "../../../../plugins/terminal/input/keys.ts";
import { defaultKeys, type KeyAction } from "../../../../plugins/terminal/keys.ts";
import { en } from "../../../../plugins/terminal/words/en.ts";

/** The same key as sent by terminals without and with the Kitty protocol, by xterm's modifyOtherKeys, and by older ones. */
const sent: Record<string, string[]> = {
  enter: ["\r", "\x1b[13u", "\x1b[57414u"],
  "shift+enter": ["\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;2~"],
  "alt+enter": ["\x1b\r", "\x1b[13;3u"],
  "ctrl+enter": ["\x1b[13;5u", "\x1b[27;5;13~"],
  "ctrl+j": ["\n", "\x1b[106;5u"],
  "ctrl+r": ["\x12", "\x1b[114;5u", "\x1b[27;5;114~"],
  "ctrl+-": ["\x1f", "\x1b[45;5u"],
  escape: ["\x1b", "\x1b[27u"],
  tab: ["\t", "\x1b[9u"],
  "shift+tab": ["\x1b[Z", "\x1b[9;2u"],
  backspace: ["\x7f", "\x08", "\x1b[127u"],
  "alt+backspace": ["\x1b\x7f", "\x1b[127;3u"],
  "alt+,": ["\x1b,", "\x1b[44;3u"],
  "alt+up": ["\x1b[1;3A", "\x1b\x1b[A"],
  "ctrl+left": ["\x1b[1;5D"],
  "ctrl+home": ["\x1b[1;5H"],
  home: ["\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"],
  end: ["\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"],
  pageUp: ["\x1b[5~"],
  delete: ["\x1b[3~"],
  f1: ["\x1bOP", "\x1b[11~", "\x1b[[A", "\x1b[P", "\x1b[1;1P"],
  "alt+f1": ["\x1b[1;3P"],
};

describe("keys", () => {
  it("are known by every sequence that terminals send for them", () => {
    for (const [name, sequences] of Object.entries(sent))
      for (const data of sequences) expect([data, keyOf(data)]).toEqual([data, name]);
  });

  it("are not confused with text", () => {
    for (const text of ["é", "你", "😀", "\x1b[200~hi\x1b[201~", "\x1b[<0;1;1M", "\x1b]11;rgb:0/0/0\x07"])
      expect([text, keyOf(text)]).toEqual([text, undefined]);
  });

  it("have one form, however they are written, and one label", () => {
    expect(["Ctrl-R", "control+r", "CTRL+r"].map(canonical)).toEqual(["ctrl+r", "ctrl+r", "ctrl+r"]);
    expect(["shift+alt+Up", "Option-Shift-up"].map(canonical)).toEqual(["alt+shift+up", "alt+shift+up"]);
    expect(["esc", "PgUp", "Return", "ctrl+-", "ctrl++"].map(canonical)).toEqual(
      ["escape", "pageUp", "enter", "ctrl+-", "ctrl++"], // one name each
    );
    expect(["", "ctrl", "ctrl+", "hyper+a", "ctrl+ctrl+a", "f13", "ctrl+nope"].map(canonical)).toEqual(
      Array(7).fill(undefined),
    );
    expect(["ctrl+r", "alt+up", "escape", "shift+tab", "alt+,", "f1", "ctrl++", "pageUp"].map(keyLabel)).toEqual(
      ["Ctrl-R", "Alt-Up", "Esc", "Shift-Tab", "Alt-,", "F1", "Ctrl-+", "PageUp"], // as people write them
    );
  });

  it("have defaults without a clash, each in its one form", () => {
    expect(keySettings.safeParse({}).success).toBe(true);
    const names = Object.values(defaultKeys).flat();
    expect(names.map(canonical)).toEqual(names);
  });

  it("do what the settings say, which take default keys away from other actions", () => {
    const keys = createKeys(keySettings.parse({ send: ["alt+enter", "f5"], newline: "enter", history: [] }));
    const does = (data: string) => (Object.keys(defaultKeys) as KeyAction[]).filter((action) => keys.is(data, action));
    expect([does("\r"), does("\x1b\r"), does("\x1b[15~"), does("\x12"), does("\x1b[13;2u")]).toEqual([
      ["newline", "choose"],
      ["send"],
      ["send"],
      ["rename"],
      [],
    ]);
    expect([keys.label("send"), keys.labels("send"), keys.label("history")]).toEqual(
      ["Alt-Enter", ["Alt-Enter", "F5"], ""], // no key at all
    );
  });

  it("run commands: those that the settings name, else those that a plugin wants and nothing has", () => {
    const set = { "/undo": ["alt+u", "ctrl+b"], "/watch": "Alt-W", "/quiet": [] };
    const keys = createKeys(keySettings.parse(set));
    expect({
      undo: keys.ofCommand("undo", ["f7"]),
      watch: keys.ofCommand("watch", []),
      quiet: keys.ofCommand("quiet", ["f8"]),
      other: keys.ofCommand("other", ["alt+w", "ctrl+o", "x", "nope", "F9"]),
      charLeft: keys.labels("charLeft"),
    }).toEqual({
      undo: ["alt+u", "ctrl+b"],
      watch: ["alt+w"],
      quiet: [],
      other: ["f9"],
      charLeft: ["Left"],
    });
  });

  it("are shown by the help as the settings have them", () => {
    const keys = createKeys(keySettings.parse({ "/undo": "alt+u", expand: "f6" }));
    const command = (name: string, wanted: string[]) =>
      ({ name, usage: `/${name}`, description: `Does ${name}`, group: "", plugin: "p", keys: wanted }) as ListedCommand;
    const help = new Help({
      theme: { name: "none", style: (_role, shown) => shown },
      words: en,
      keys,
      actions: new Set<KeyAction>(["expand"]),
      commands: [command("undo", ["f7"]), command("watch", ["alt+w"])],
      rows: () => 200,
      close() {},
    });
    const shown = help.render(80).map((line) => line.trim());
    expect(shown.filter((line) => /^F6|^\/(?:undo|watch)/.test(line)).map((line) => line.split(/ {2,}/))).toEqual([
      ["F6", en.actions.expand],
      ["/undo, Alt-U", "Does undo"],
      ["/watch, Alt-W", "Does watch"],
    ]);
  });

  it.each([
    [{ sned: "f5" }, ["sned"], 'there is no action "sned" that a key can be set for; did you mean "send"?'],
    [
      { send: "ctrl+nope" },
      ["send"],
      '"ctrl+nope" is not a key; write keys like "ctrl+r", "alt+enter", "shift+tab" or "f2", with the modifiers ctrl, alt, shift, super',
    ],
    [{ help: "?" }, ["help"], '"?" types a character, which could then not be written; add ctrl or alt, as in "alt+?"'],
    [
      { expand: "f5", thinking: "F5" },
      ["thinking"],
      'F5 is also the key of "expand"; assign another key to one of them',
    ],
    [{ newline: "enter" }, ["newline"], '"send" has no other key than Enter; give "send" a key, too'],
    [{ "/a": "f5", "/b": "F5" }, ["/b"], 'F5 is also the key of "/a"; assign another key to one of them'],
    [{ "/a": "enter" }, ["/a"], '"send" has no other key than Enter; give "send" a key, too'],
    [{ "/a": "q" }, ["/a"], '"q" types a character, which could then not be written; add ctrl or alt, as in "alt+q"'],
    [{ interrupt: [] }, ["interrupt"], '"interrupt" needs at least one key'],
  ])("are refused with what is wrong: %j", (settings, path, message) => {
    const { error } = keySettings.safeParse(settings);
    expect(error?.issues.map((issue) => ({ path: issue.path, message: issue.message }))).toEqual([{ path, message }]);
  });

  it("are listed for the help, each action once", () => {
    const rows = keyRows(createKeys());
    expect(rows.map(({ action }) => action)).toEqual(Object.keys(defaultKeys));
    expect(rows.find(({ action }) => action === "history")).toEqual({
      group: "writing",
      action: "history",
      keys: ["Ctrl-R"],
    });
  });
});
