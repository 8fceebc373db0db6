/** Lets a second model review each commit before it is made; set it in `[models.reviewer]`, save this in `~/.scorel/extensions`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";

const run = promisify(execFile);
const systemPrompt = `You review a change before it is committed. Answer "OK" when it is fine.
Otherwise name each mistake in one line with its file. Say nothing about style.`;

export default definePlugin({
  id: "reviewer",
  name: "Reviewer",
  version: "1.0.0",
  needs: ["agent", "workspace"],
  hooks: ({ agent, workspace }) => ({
    approveToolCall: {
      critical: true,
      // Late: a command that another guard refuses needs no review.
      level: "late",
      // Milliseconds; a model may take longer than the default of half a minute.
      limit: 300_000,
      async handler({ toolCall, args, refused }, signal) {
        if (refused) return undefined;
        const { command = "" } = args as { command?: string };
        if (toolCall.name !== "Bash" || !/\bgit\b.*\bcommit\b/.test(command)) return undefined;
        const { stdout: diff } = await run("git", ["diff", "HEAD"], { cwd: workspace.root, maxBuffer: 2 ** 26 });
        const text = `The change:\n\n${diff.slice(0, 60_000)}`;
        const answer = await agent.ask({ alias: "reviewer", systemPrompt, text, ...(signal && { signal }) });
        if (/^\W*OK\b/i.test(answer.text)) return undefined;
        return { block: true, reason: `Not committed. ${answer.model} says:\n${answer.text}` };
      },
    },
  }),
});
