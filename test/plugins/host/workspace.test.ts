import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalDirectory, createWorkspace, projectRoot } from "../../../plugins/host/workspace.ts";
import { testHome } from "./home.ts";

describe("a workspace", () => {
  it("has the git root above its directory as root, but never home or above", () => {
    using home = testHome();
    const deep = join(home.cwd, "a/b");
    mkdirSync(deep, { recursive: true });
    mkdirSync(join(home.home, ".git"));
    expect(projectRoot(deep, home.home)).toBe(deep);
    mkdirSync(join(home.cwd, ".git"));
    expect(projectRoot(deep, home.home)).toBe(home.cwd);
    expect(projectRoot(home.home, home.home)).toBe(home.home);
  });

  it("uses real paths, and refuses what is not a directory", () => {
    using home = testHome();
    symlinkSync(home.cwd, join(home.home, "link"));
    expect(canonicalDirectory(join(home.home, "link"))).toBe(home.cwd);
    expect(() => canonicalDirectory(join(home.home, "missing"))).toThrow("it does not exist");
    expect(() => createWorkspace({ sessionId: "s", cwd: home.cwd, allowWrite: ["/nowhere/at/all"] })).toThrow(
      "/nowhere",
    );
  });

  it("creates a private temporary folder on first use, the same at each opening", () => {
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
