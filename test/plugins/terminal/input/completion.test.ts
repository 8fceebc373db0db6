import type { ListedCommand } from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { Completing, type Source, type Suggestions } from "../../../../plugins/terminal/input/completing.ts";
import type { History } from "../../../../plugins/terminal/input/history.ts";
import { HistoryWalk } from "../../../../plugins/terminal/input/history-walk.ts";
import {
  commandSource,
  type FoundFiles,
  fileSource,
  hostFiles,
  wordSource,
} from "../../../../plugins/terminal/input/sources.ts";
import { eventually } from "../../../eventually.ts";
import { desk, key } from "./desk.ts";

const commands = [
  { name: "compact", usage: "/compact [instructions]", description: "Summarize", plugin: "compaction" },
  { name: "help", usage: "/help", description: "Show\u001b[2J all commands", plugin: "commands" },
  { name: "model", usage: "/model <name>", description: "Change the model", plugin: "commands" },
];
/** A client that answers like the host. */
const client = {
  request: async (operation: string, { line = "" }: { line?: string }) => {
    if (operation === "list_commands") return { commands };
    const values = line.startsWith("$")
      ? ["$deploy", "$docs"].filter((each) => each.startsWith(line))
      : ["gpt/5", "gpt/4"];
    return { from: line.startsWith("$") ? 0 : line.length - (/\S*$/.exec(line)?.[0].length ?? 0), values };
  },
} as unknown as Client;

const place = { client, sessionId: "s1" };
const PATHS = [
  ...[{ path: "src/cart.ts" }, { path: "src", directory: true }, { path: "my notes.md" }],
  ...[{ path: "my folder", directory: true }, { path: "my folder/a.md" }],
];
const files = fileSource(async (query) => ({ files: PATHS.filter(({ path }) => `${path}/`.includes(query)) }));
const all = () => new Completing([commandSource(place), files, wordSource(place)]);

/** A field with this text, once its list of completions is shown. */
async function listed(text: string, completing = all()) {
  const at = desk({ completing });
  at.type(text);
  const shown = () => at.field.render(50).slice(3);
  await eventually(() => expect(shown()).not.toEqual([]));
  return { ...at, shown };
}

describe("completion", () => {
  it("lists commands by any of their letters, with what they do, and completes one", async () => {
    const { shown, type, field, sent } = await listed("/");
    expect(shown()).toEqual([
      "› /compact [instructions]  Summarize",
      "  /help                    Show all commands",
      "  /model <name>            Change the model",
    ]);
    type("mdl");
    await eventually(() => expect(shown()).toEqual(["› /model <name>  Change the model"]));
    type(key.enter);
    expect([field.mode, field.text, sent]).toEqual(["command", "model ", []]);
  });

  it("lists the command of that name first, then those that it ends, those that begin with it by their use, and others", async () => {
    const names = ["remodel", "skill:mode", "models", "modern", "mode", "mended"];
    const of = (name: string) => ({ name, usage: `/${name}`, description: "", plugin: "p" });
    const client = { request: async () => ({ commands: names.map(of) }) } as unknown as Client;
    const order = async (typed: string, used: Record<string, number> = {}) => {
      const here = {
        all: (commands: readonly ListedCommand[]) => commands,
        isKnownAs: (name: string, typed: string) => name === "mended" && "mode".startsWith(typed),
        uses: () => new Map(Object.entries(used)),
      };
      const asked = { mode: "command" as const, before: typed, wanted: false };
      const found = await commandSource({ client, sessionId: "s1" }, here)(asked, new AbortController().signal);
      return found?.items.map(({ text }) => text);
    };
    expect(await order("mode")).toEqual(["mode", "skill:mode", "models", "modern", "mended", "remodel"]);
    expect(await order("mode", { modern: 2, models: 1, mended: 9, remodel: 9 })).toEqual([
      ...["mode", "skill:mode", "modern", "models", "mended", "remodel"],
    ]);
    expect(await order("", { mended: 1, mode: 3 })).toEqual([
      "mode",
      "mended",
      "remodel",
      "skill:mode",
      "models",
      "modern",
    ]);
  });

  it("counts how often a command was sent, whatever its arguments", () => {
    const sent = ["/name a", "/help", "/name b", "name c"].map((text) =>
      text.startsWith("/") ? { mode: "command", text: text.slice(1) } : { mode: "message", text },
    );
    const walk = new HistoryWalk({ all: () => sent } as unknown as History, () => {});
    expect([...walk.uses()]).toEqual([
      ["name", 2],
      ["help", 1],
    ]);
  });

  it("completes the arguments of a command, and moves in the list", async () => {
    const { shown, type, field } = await listed("/model g");
    expect(shown()).toEqual(["› gpt/5", "  gpt/4"]);
    type(key.down, key.tab);
    expect(field.text).toBe("model gpt/4");
    type(key.undo);
    expect(field.text).toBe("model g");
  });

  it("finds a choice by several words of its label, in any case, and completes its value", async () => {
    const choices = [
      { value: "7hQ2aaaa", label: "Mend the parser", detail: "2026-03-07 09:05" },
      { value: "8kR3bbbb", label: "Write the docs", detail: "2026-03-06 10:15" },
    ];
    const resume = { name: "resume", usage: "/resume [session]", description: "", plugin: "commands", chooses: true };
    const client = {
      request: async (operation: string) => (operation === "list_choices" ? { choices } : { commands: [resume] }),
    } as unknown as Client;
    const completing = new Completing([commandSource({ client, sessionId: "s1" })]);
    const { shown, type, field } = await listed("/resume mend THE", completing);
    expect(shown()).toEqual(["› Mend the parser  2026-03-07 09:05"]);
    type(key.tab);
    expect(field.text).toBe("resume 7hQ2aaaa");
  });

  it("sends with one Enter what is named by the beginning of its id, but not what is found by its label", async () => {
    const choices = [
      { value: "7hQ2aaaa", label: "Mend the parser" },
      { value: "8kR3bbbb", label: "Write the docs" },
    ];
    const resume = { name: "resume", usage: "/resume [session]", description: "", plugin: "commands", chooses: true };
    const client = {
      request: async (operation: string) => (operation === "list_choices" ? { choices } : { commands: [resume] }),
    } as unknown as Client;
    const afterEnter = async (line: string) => {
      const { type, field, sent } = await listed(line, new Completing([commandSource({ client, sessionId: "s1" })]));
      type(key.enter);
      return { field: field.text, sent: sent.map(({ text }) => text) };
    };
    expect([await afterEnter("/resume 8kR"), await afterEnter("/resume docs")]).toEqual([
      { field: "", sent: ["resume 8kR3bbbb"] },
      { field: "resume 8kR3bbbb", sent: [] },
    ]);
  });

  it("sends with Enter what is written out", async () => {
    const { type, sent } = await listed("/help");
    type(key.enter);
    expect(sent).toEqual([{ mode: "command", text: "help", attachments: [] }]);
  });

  it("completes words with a sign, such as skills", async () => {
    const { shown, type, field } = await listed("please $d");
    expect(shown()).toEqual(["› $deploy", "  $docs"]);
    type(key.tab);
    expect(field.text).toBe("please $deploy");
  });

  it("attaches a file, and continues after a folder", async () => {
    const { type, sent } = await listed("see @cart");
    type(key.enter, "please", key.enter);
    const attachment = { mark: "@src/cart.ts", path: "src/cart.ts" };
    expect(sent).toEqual([{ mode: "message", text: "see @src/cart.ts please", attachments: [attachment] }]);
    const folder = await listed("@sr");
    folder.type(key.down, key.tab);
    expect(folder.field.text).toBe("@src/");
    const spaced = await listed('@"my n');
    spaced.type(key.tab);
    expect(spaced.field.text).toBe('@"my notes.md" ');
  });

  it("inserts the quotes of a name with spaces itself, also after a folder, and does not take other words for files", async () => {
    const { type, shown, field } = await listed("see @my");
    type(" n");
    await eventually(() => expect(shown()).toEqual(["› my notes.md"]));
    type(key.tab);
    expect(field.text).toBe('see @"my notes.md" ');
    type("and");
    await Promise.resolve();
    expect(shown()).toEqual([]);
    const inside = await listed("@my f");
    inside.type(key.tab);
    expect(inside.field.text).toBe('@"my folder/"');
    await eventually(() => expect(inside.shown()).toContain("  my folder/a.md"));
    inside.type("a");
    await eventually(() => expect(inside.shown()).toEqual(["› my folder/a.md"]));
    inside.type(key.tab, key.enter);
    const mark = '@"my folder/a.md"';
    expect(inside.sent).toEqual([
      { mode: "message", text: `${mark} `, attachments: [{ mark, path: "my folder/a.md" }] },
    ]);
  });

  it("says that files are being read, and shows more as they come, with what was chosen", async () => {
    let give: (paths: readonly string[], isPartial: boolean) => void = () => {};
    let asked = 0;
    const find = () => {
      asked++;
      return new Promise<FoundFiles>((resolve) => {
        give = (paths, isPartial) => resolve({ files: paths.map((path) => ({ path })), isPartial });
      });
    };
    const at = desk({ completing: new Completing([fileSource(find, { reading: "reading files…" })]) });
    const gives = async (paths: readonly string[], isPartial: boolean, lines: readonly string[]) => {
      give(paths, isPartial);
      await eventually(() => expect(at.field.render(50).slice(3)).toEqual(lines));
    };
    const isAsked = (times: number) => eventually(() => expect(asked).toBe(times));
    at.type("@");
    await eventually(() => expect(at.field.render(50).slice(3)).toEqual(["  reading files…"]));
    expect(asked).toBe(1);
    await gives([], true, ["  reading files…"]);
    await isAsked(2);
    await gives(["a1"], true, ["› a1", "  reading files…"]);
    await isAsked(3);
    await gives(["a0", "a1", "a2"], true, ["› a0", "  a1", "  a2", "  reading files…"]);
    at.type(key.down);
    await isAsked(4);
    await gives(["a1", "a2"], false, ["› a1", "  a2"]);
    at.type(key.tab);
    expect([at.field.text, asked]).toEqual(["@a1 ", 4]);
  });

  it("says that no file matches a path", async () => {
    const none = fileSource(async () => ({ files: [] }), { none: "no such file" });
    const { shown, type, field, sent } = await listed("see @gen/gen1", new Completing([none]));
    expect(shown()).toEqual(["  no such file"]);
    type(key.enter);
    expect([field.text, sent.length]).toEqual(["", 1]);
    const found = (before: string) => none({ mode: "message", before, wanted: false }, new AbortController().signal);
    expect(await found("@gen1.txt")).toEqual({ length: 9, items: [], note: "no such file" });
    expect(await found("thanks @ann.")).toEqual({ length: 5, items: [] });
  });

  it("asks the host for files, and shows nothing where the host cannot find them", async () => {
    const asked: unknown[] = [];
    const request = async (operation: string, params: object) => {
      asked.push(operation, params);
      return { files: [{ path: "src", kind: "folder", matches: [0] }] };
    };
    const finding = { client: { request } as unknown as Client, sessionId: "s1" };
    const { shown } = await listed("@s", new Completing([fileSource(hostFiles(finding))]));
    expect([shown(), asked.slice(-2)]).toEqual([
      ["› src/"],
      ["find_files", { sessionId: "s1", query: "s", limit: 50, partial: true }],
    ]);
    const refusing = {
      ...finding,
      client: { request: () => Promise.reject(new Error("unknown")) } as unknown as Client,
    };
    const { shown: words } = await listed(
      "@s $d",
      new Completing([fileSource(hostFiles(refusing)), wordSource(place)]),
    );
    expect(words()).toEqual(["› $deploy", "  $docs"]);
  });

  it("attaches no file whose mark was deleted", async () => {
    const { type, sent } = await listed("@cart");
    type(key.tab, "\x15", "no file", key.enter);
    expect(sent).toEqual([{ mode: "message", text: "no file", attachments: [] }]);
  });

  it("closes with Esc, before Esc does anything else", async () => {
    const { type, shown, unused } = await listed("@");
    type(key.escape);
    expect([shown(), unused]).toEqual([[], []]);
    type(key.escape);
    expect(unused).toEqual([key.escape]);
  });

  it("never shows or inserts late results", async () => {
    const answers: { asked: string; give: (found: Suggestions) => void }[] = [];
    const slow: Source = ({ before }) => new Promise((give) => answers.push({ asked: before, give }));
    const { field, type } = desk({ completing: new Completing([slow]) });
    const late = { length: 1, items: [{ text: "late" }] };
    type("a", "b", "c");
    // While a request is pending, only the last text is requested next.
    expect(answers.map(({ asked }) => asked)).toEqual(["a"]);
    answers[0]?.give(late);
    await eventually(() => expect(answers.map(({ asked }) => asked)).toEqual(["a", "abc"]));
    type(key.left);
    answers[1]?.give(late);
    await Promise.resolve();
    type(key.tab);
    await eventually(() => expect(answers).toHaveLength(3));
    type("d", key.tab);
    answers[2]?.give(late);
    await eventually(() => expect(answers).toHaveLength(4));
    expect([field.text, field.render(50).slice(3)]).toEqual(["abdc", []]);
  });

  it("says nothing when the host refuses, and continues to work", async () => {
    const refusing: Source = () => Promise.reject(new Error("HOST_OPERATION_UNKNOWN"));
    const { shown } = await listed("/h", new Completing([refusing, commandSource(place)]));
    expect(shown()).toEqual(["› /help  Show all commands"]);
  });
});
