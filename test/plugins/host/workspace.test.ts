import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainText, visibleText } from "../../../plugins/host/client.ts";
import { canonicalDirectory, createWorkspace, projectRoot } from "../../../plugins/host/workspace.ts";
import { testHome } from "./home.ts";

describe("a workspace", () => {
  it("has the git root above its directory as its root, never home or what is above", () => {
    using home = testHome();
    const deep = join(home.cwd, "a/b");
    mkdirSync(deep, { recursive: true });
    mkdirSync(join(home.home, ".git"));
    expect(projectRoot(deep, home.home)).toBe(deep);
    mkdirSync(join(home.cwd, ".git"));
    expect(projectRoot(deep, home.home)).toBe(home.cwd);
    expect(projectRoot(home.home, home.home)).toBe(home.home);
  });

  it("goes by real paths, and says what is no directory", () => {
    using home = testHome();
    symlinkSync(home.cwd, join(home.home, "link"));
    expect(canonicalDirectory(join(home.home, "link"))).toBe(home.cwd);
    expect(() => canonicalDirectory(join(home.home, "missing"))).toThrow("it does not exist");
    expect(() => createWorkspace({ sessionId: "s", cwd: home.cwd, allowWrite: ["/nowhere/at/all"] })).toThrow(
      "/nowhere",
    );
  });

  it("makes a private temporary folder when it is first asked for, the same at each opening", () => {
    using home = testHome();
    const sessionId = `test${process.pid}x${Date.now()}`;
    const open = () => createWorkspace({ sessionId, cwd: home.cwd });
    const { temp } = open();
    expect(statSync(temp).mode & 0o777).toBe(0o700);
    expect(open().temp).toBe(temp);
    rmSync(temp, { recursive: true });
    symlinkSync(home.cwd, temp);
    const instead = open().temp;
    expect(instead).not.toBe(temp);
    expect(existsSync(instead)).toBe(true);
    for (const path of [temp, instead]) rmSync(path, { recursive: true });
  });
});

describe("plain text", () => {
  it.each([
    ["colours and cursor moves", "\u001b[1;31mred\u001b[0m\u001b[2J\u001b[10;10H!", "red!"],
    ["titles and links", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
    ["bells, backspaces and carriage returns", "a\u0007\bb\r\nc\u007f", "ab\nc"],
    ["control characters of eight bits", "a\u009b31mb\u0085c", "a31mbc"],
    ["an escape cut short", "a\u001b", "a"],
  ])("has no %s", (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it("for an agreement hides nothing: what is not seen is written out", () => {
    const hidden = "ls \u001b]0; rm -rf ~ \u0007\r\u202emr\u200b\u00a0\u3164\u{e0041}\ud800";
    expect(plainText(hidden)).not.toContain("rm -rf");
    expect(visibleText(hidden)).toBe(
      "ls \\u{1b}]0; rm -rf ~ \\u{7}\\u{d}\\u{202e}mr\\u{200b}\\u{a0}\\u{3164}\\u{e0041}\\u{d800}",
    );
    expect(visibleText("a\n\tü 漢字 ⚠️")).toBe("a\n\tü 漢字 ⚠️");
  });

  it("writes out what turns text round or takes no room", () => {
    expect(plainText("a\u202egnp.exe b\u200bc\ufeffd\u{e0041}")).toBe(
      "a\\u{202e}gnp.exe b\\u{200b}c\\u{feff}d\\u{e0041}",
    );
  });

  it("keeps newlines, tabs and every other letter, joined ones and flags among them", () => {
    const texts = [
      "a\n\tü 漢字 🙂",
      "\u{1f468}\u200d\u{1f4bb}",
      "می\u200cخواهم \u200fעברית",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ];
    for (const text of texts) expect(plainText(text)).toBe(text);
  });
});
