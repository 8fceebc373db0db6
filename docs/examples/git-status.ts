/** Tells the model with each prompt the current branch and uncommitted changes; save it in `~/.scorel/extensions`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";

const run = promisify(execFile);

export default definePlugin({
  id: "git-status",
  name: "Git status",
  version: "1.0.0",
  needs: ["prompt", "workspace"],
  hooks: ({ workspace }) => ({
    async promptSubmit() {
      const args = ["status", "--short", "--branch"];
      const status = await run("git", args, { cwd: workspace.root }).catch(() => undefined);
      // Outside of a repository nothing is added.
      return status && { context: `git ${args.join(" ")} says:\n${status.stdout.slice(0, 4_000)}` };
    },
  }),
});
