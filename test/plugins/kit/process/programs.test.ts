import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findProgram, foreignProgram, isProgram, ownPath } from "../../../../plugins/kit/process/programs.ts";

const dir = mkdtempSync(join(tmpdir(), "scorel-programs-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Creates a file with this mode; returns its path. */
function file(folder: string, name: string, mode: number): string {
  mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, folder, name), "#!/bin/sh\n");
  chmodSync(join(dir, folder, name), mode);
  return join(dir, folder, name);
}

describe("a program on the PATH", () => {
  file("a", "tool", 0o644);
  mkdirSync(join(dir, "b", "tool"), { recursive: true });
  const first = file("c", "tool", 0o755);
  const second = file("d", "tool", 0o755);
  const path = (...folders: string[]) => folders.map((folder) => join(dir, folder)).join(delimiter);

  it("is the first file of that name that may be executed", () => {
    expect([findProgram("tool", path("a", "b", "c", "d")), findProgram("tool", path("d", "c"))]).toEqual([
      first,
      second,
    ]);
  });

  it("is missing in folders without it, in missing folders and on an empty PATH", () => {
    const paths = [path("a"), path("b"), path("none"), "", delimiter];
    expect(paths.map((each) => findProgram("tool", each))).toEqual(paths.map(() => undefined));
  });

  it("is neither a folder nor a file that may not be executed", () => {
    expect([join(dir, "a", "tool"), join(dir, "b", "tool"), first].map(isProgram)).toEqual([false, false, true]);
  });
});

describe("the user's own folders on the PATH", () => {
  const project = join(dir, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  const theirs = file("project/tools", "git", 0o755);
  const own = file("own", "git", 0o755);
  symlinkSync(join(project, "tools"), join(dir, "link"));
  const elsewhere = join(dir, "elsewhere/node_modules/.bin");
  const path = [join(project, "tools"), "tools", ".", join(dir, "link"), elsewhere, join(dir, "own"), "/usr/bin"];

  it("are those that no repository can fill: not relative, not of packages, and not inside the project", () => {
    const inside = join(project, "src");
    mkdirSync(inside);
    expect([project, inside].map((folder) => ownPath(path.join(delimiter), folder).split(delimiter))).toEqual([
      [join(dir, "own"), "/usr/bin"],
      [join(dir, "own"), "/usr/bin"],
    ]);
  });

  it("are not in another worktree of the repository, and not in a repository around it", () => {
    const git = (...args: string[]) => execFileSync("git", ["-C", join(dir, "main"), ...args], { stdio: "pipe" });
    file("main/bin", "git", 0o755);
    git("init", "-q");
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "First");
    git("worktree", "add", "-q", join(dir, "beside"));
    file("beside/bin", "git", 0o755);
    mkdirSync(join(dir, "main/nested/.git"), { recursive: true });
    const all = ["main/bin", "beside/bin", "own"].map((each) => join(dir, each));
    const from = (folder: string) => ownPath(all.join(delimiter), join(dir, folder)).split(delimiter);
    expect([from("main"), from("beside"), from("main/nested"), from("elsewhere-new")]).toEqual([
      ...[[all[2]], [all[2]], [all[2]], all],
    ]);
  });

  it("are found without a usable home folder, too", () => {
    const home = process.env.HOME;
    process.env.HOME = "relative";
    try {
      expect(ownPath(path.join(delimiter), project).split(delimiter)).toEqual([join(dir, "own"), "/usr/bin"]);
    } finally {
      process.env.HOME = home;
    }
  });

  it("are all but relative ones in a home folder, which is no project", () => {
    expect(ownPath(["bin", join(homedir(), "bin")].join(delimiter), homedir())).toBe(join(homedir(), "bin"));
  });

  it("tell which program of the project a command would run", () => {
    const found = (...folders: string[]) => foreignProgram("git", folders.join(delimiter), project);
    expect([found(join(project, "tools"), join(dir, "own")), found(join(dir, "own"), join(project, "tools"))]).toEqual([
      theirs,
      undefined,
    ]);
    expect(findProgram("git", ownPath(path.join(delimiter), project))).toBe(own);
  });
});
