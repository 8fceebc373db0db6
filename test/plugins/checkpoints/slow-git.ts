import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "../../eventually.ts";
import type { Project } from "./project.ts";

export const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** Replaces `git` by a wrapper of it that waits while it is held. */
export function slowGit(t: Project) {
  const file = (name: string) => join(t.home, name);
  fs.mkdirSync(file("bin"));
  const script = `#!/bin/sh\nif [ -e ${file("held")} ]; then touch ${file("began")}; fi
while [ -e ${file("held")} ]; do sleep 0.01; done\nexec ${realGit} "$@"\n`;
  fs.writeFileSync(file("bin/git"), script, { mode: 0o755 });
  const PATH = process.env.PATH;
  process.env.PATH = `${file("bin")}:${PATH}`;
  return {
    hold: () => fs.writeFileSync(file("held"), ""),
    release: () => fs.rmSync(file("held")),
    began: () => eventually(() => expect(fs.existsSync(file("began"))).toBe(true)),
    [Symbol.dispose]: () => {
      fs.rmSync(file("held"), { force: true });
      process.env.PATH = PATH;
    },
  };
}
