import { describe, expect, it } from "vitest";
import { changed, type Line, meant, messageOf, unmarked, written } from "../../../plugins/web/page/chat/line.ts";
import { commandsLike, fileMark, fileSuggestion } from "../../../plugins/web/page/chat/suggest.ts";
import { taken } from "../../../plugins/web/page/chat/suggesting.ts";

/** The input field after these characters were typed one by one. */
function typed(characters: string, line: Line = messageOf("")): Line {
  return [...characters].reduce((now, added) => changed(now, now.text + added, { how: "insertText", added }), line);
}

describe("the field of the page", () => {
  it.each([
    ["/name x", { mode: "command", isSilent: false, text: "name x" }],
    ["!ls", { mode: "shell", isSilent: false, text: "ls" }],
    ["!!ls", { mode: "shell", isSilent: true, text: "ls" }],
    ["!!!", { mode: "shell", isSilent: true, text: "!" }],
    ["a/b!", { mode: "message", isSilent: false, text: "a/b!" }],
    ["//", { mode: "command", isSilent: false, text: "/" }],
  ])("treats %j as what it begins with", (characters, line) => {
    expect(typed(characters)).toEqual(line);
    expect(written(typed(characters))).toBe(characters);
  });

  it.each(["insertFromPaste", "insertFromDrop", "historyUndo", "insertReplacementText", ""])(
    "treats text that came by %j as a message",
    (how) => {
      for (const text of ["/", "!", "!rm -rf .", "/permission full"])
        expect(changed(messageOf(""), text, { how, added: text })).toEqual(messageOf(text));
    },
  );

  it("treats several characters that come at once as a message", () => {
    expect(changed(messageOf(""), "!rm", { how: "insertText", added: "!rm" })).toEqual(messageOf("!rm"));
  });

  it("treats a mark that is typed over all of a message as the first character", () => {
    const over = (line: Line, added: string) => changed(line, added, { how: "insertText", added });
    expect(over(messageOf("a draft"), "/")).toEqual({ mode: "command", isSilent: false, text: "" });
    expect(over(messageOf("a draft"), "!")).toEqual({ mode: "shell", isSilent: false, text: "" });
    expect(over(messageOf("a draft"), "a")).toEqual(messageOf("a"));
    expect(over(typed("!ls"), "!")).toEqual({ mode: "shell", isSilent: false, text: "!" });
    expect(changed(messageOf("a draft"), "/", { how: "insertFromPaste", added: "/" })).toEqual(messageOf("/"));
  });

  it("is a message again when its text is deleted at once, or its mark by Backspace", () => {
    const line = typed("!ls");
    expect(changed(line, "", { how: "deleteContentBackward", added: null })).toEqual(messageOf(""));
    const letter = typed("!l");
    expect(changed(letter, "", { how: "deleteContentBackward", added: null })).toEqual({ ...letter, text: "" });
    expect(unmarked(typed("!!ls"))).toEqual({ mode: "shell", isSilent: false, text: "ls" });
    expect(unmarked(line)).toMatchObject({ mode: "message", text: "ls" });
  });

  it("treats a path as a message", () => {
    expect(meant(typed("/etc/hosts is wrong"))).toEqual(messageOf("/etc/hosts is wrong"));
    expect(meant(typed("/name a/b")).mode).toBe("command");
  });
});

describe("suggestions", () => {
  it.each([
    ["look at @", "@"],
    ["@src/ca", "@src/ca"],
    ['see @"my fi', '@"my fi'],
    ["see @my fi", "@my fi"],
    ['see @"my folder/"fi', '@"my folder/"fi'],
    ["me@example.com", undefined],
    ["done", undefined],
  ])("are about the file that is named at the end of %j", (before, mark) => {
    expect(fileMark(before)).toBe(mark);
  });

  it("quote names with spaces, and continue after a folder", () => {
    const found = [
      { path: "a.ts", kind: "file" as const },
      { path: "old cart.md", kind: "file" as const },
      { path: "my docs", kind: "folder" as const },
    ];
    expect(found.map((each) => fileSuggestion(each).text)).toEqual(["@a.ts ", '@"old cart.md" ', '@"my docs/"']);
  });

  it("replace the typed text, and leave the text after the cursor", () => {
    const line = messageOf("see @ca please");
    const shown = { before: "see @ca", length: 3, chosen: 0, items: [] };
    expect(taken(line, shown, { text: "@cart.ts " })).toEqual({ ...messageOf("see @cart.ts please"), caret: 13 });
  });

  it("find commands by the letters of their names", () => {
    const command = (name: string) => ({ name, usage: `/${name}`, description: "", plugin: "x", group: "x" });
    const names = commandsLike([command("rename"), command("name"), command("new")], "nm").map(({ text }) => text);
    expect(names).toEqual(["rename", "name"]);
    const ending = commandsLike([command("rename"), command("name"), command("skill:name")], "name");
    expect(ending.map(({ text }) => text)).toEqual(["name", "skill:name", "rename"]);
    expect(commandsLike([command("rename"), command("name")], "na").map(({ text }) => text)).toEqual([
      "name",
      "rename",
    ]);
  });
});
