import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A git repository with one commit, and functions to use it as a person would. */
export function repository({
  commits = true,
  files = { "a.txt": "one\n" } as Record<string, string>,
  within = temporaryFolder("scorel-worktrees-"),
} = {}) {
  const root = join(within, "project");
  mkdirSync(root);
  const at = (folder: string) => {
    const path = (name: string) => join(folder, name);
    return {
      folder,
      path,
      git: (...args: string[]) =>
        execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env: gitEnv() }).trim(),
      file(name: string, content: string) {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), content);
      },
      text: (name: string) => readFileSync(path(name), "utf8"),
      has: (name = ".") => existsSync(path(name)),
    };
  };
  const main = at(root);
  main.git("init", "--quiet", "--initial-branch=main");
  main.git("config", "user.name", "Ann");
  main.git("config", "user.email", "ann@example.com");
  if (commits) {
    for (const [name, content] of Object.entries(files)) main.file(name, content);
    main.git("add", "--all");
    main.git("commit", "--quiet", "--message=Begin");
  }
  return { ...main, root, at, make: async (name?: string) => at((await worktrees.create(root, name)).path) };
}

/** An environment for git without the settings of the user who runs the tests. */
export function gitEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
}
