/** `/standup [days] [--author <name>]` lists recent commits; save it in `~/.scorel/extensions`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const run = promisify(execFile);

export default definePlugin({
  id: "standup",
  name: "Standup",
  version: "1.0.0",
  needs: ["workspace"],
  commands: ({ workspace }) => ({
    standup: {
      summary: "List what was committed lately",
      args: z.object({ days: z.coerce.number().int().min(1).default(1), author: z.string().optional() }),
      async run({ days, author }: { days: number; author?: string }) {
        const who = author === undefined ? [] : [`--author=${author}`];
        const args = ["log", `--since=${days} days ago`, "--format=%an: %s", ...who];
        const { stdout } = await run("git", args, { cwd: workspace.root });
        return stdout.trimEnd() || "Nothing was committed.";
      },
    },
  }),
});
