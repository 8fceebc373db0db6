/** Commits the changes of each turn, with the prompt as the message; save it in `.scorel/extensions` of a git project. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin, isEvent } from "@scorel/kernel";

const run = promisify(execFile);

export default definePlugin({
  id: "commit-each-turn",
  name: "Commit each turn",
  version: "1.0.0",
  needs: ["workspace"],
  activate(ctx) {
    const git = (...args: string[]) => run("git", args, { cwd: ctx.workspace.root });
    let prompt = "";
    ctx.subscribe(async (event) => {
      if (isEvent(event, "prompt_submit")) prompt = event.prompt;
      if (event.type !== "turn_finish") return;
      const { stdout } = await git("status", "--porcelain");
      if (stdout === "") return;
      await git("add", "--all", "--", ".", ":!.scorel");
      await git("commit", "--quiet", "--message", subject(prompt));
    });
  },
});

function subject(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > 70 ? `${line.slice(0, 69)}…` : line || "Changes of a turn";
}
