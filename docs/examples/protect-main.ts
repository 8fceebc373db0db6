/** Refuses to change files or commit on the branch `main`; save it in `~/.scorel/extensions`, list other branches in `[protect-main] branches`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const run = promisify(execFile);

export default definePlugin({
  id: "protect-main",
  name: "Protect main",
  version: "1.0.0",
  needs: ["workspace"],
  config: z.strictObject({ branches: z.array(z.string()).default(["main", "master"]) }),
  hooks: ({ workspace, config }) => ({
    approveToolCall: {
      critical: true,
      async handler({ toolCall, args }) {
        const { command = "" } = args as { command?: string };
        const changes = ["Edit", "Write"].includes(toolCall.name) || /\bgit\b.*\bcommit\b/.test(command);
        if (!changes) return undefined;
        const { stdout } = await run("git", ["branch", "--show-current"], { cwd: workspace.root });
        const branch = stdout.trim();
        if (!config.branches.includes(branch)) return undefined;
        return { block: true, reason: `Nothing is changed on ${branch}: make a branch first (git switch -c <name>).` };
      },
    },
  }),
});
