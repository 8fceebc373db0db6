import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SAFE_GIT, SAFE_GIT_ENV } from "../../../../plugins/kit/process/safe-git.ts";

it("git runs no program that a repository configures, and does not use a bare folder as a repository", () => {
  const root = mkdtempSync(join(tmpdir(), "scorel-kit-"));
  const [work, ran] = [join(root, "work"), join(root, "ran")];
  const env = { PATH: process.env.PATH, HOME: root, ...SAFE_GIT_ENV };
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", [...SAFE_GIT, ...args], { cwd, env, stdio: "pipe" }).toString();
  try {
    mkdirSync(work);
    git(work, "init", "--quiet");
    const program = join(root, "program");
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    git(work, "config", "core.fsmonitor", program);
    git(work, "config", "core.pager", program);
    git(work, "config", "core.hooksPath", root);
    expect(git(work, "status", "--short")).toBe("");
    expect(existsSync(ran)).toBe(false);
    mkdirSync(join(work, "bare"));
    git(join(work, "bare"), "init", "--quiet", "--bare");
    expect(() => git(join(work, "bare"), "rev-parse", "--git-dir")).toThrow("safe.bareRepository");
  } finally {
    rmSync(root, { recursive: true });
  }
});
