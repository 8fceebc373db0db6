/** Shows the branch and the number of changed files, and warns when a turn changed files on `main`; save it in `~/.scorel/extensions`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";

const run = promisify(execFile);

export default definePlugin({
  id: "branch-in-sight",
  name: "Branch in sight",
  version: "1.0.0",
  needs: ["workspace"],
  activate({ ui, workspace, subscribe }) {
    let changed = 0;
    const look = async () => {
      const { branch, files } = await state(workspace.cwd);
      ui.status(files > 0 ? `${branch}, ${files} changed` : branch);
      const more = files > changed;
      changed = files;
      return more ? branch : undefined;
    };
    subscribe(async ({ type }) => {
      if (type === "session_start") await look();
      if (type === "turn_finish" && (await look()) === "main") ui.notify("Files were changed on main.", "warning");
    });
  },
});

/** The branch and the number of changed files; "" and 0 outside of a repository. */
async function state(cwd: string): Promise<{ branch: string; files: number }> {
  try {
    const { stdout } = await run("git", ["status", "--porcelain=v1", "--branch"], { cwd });
    const [head = "", ...files] = stdout.trimEnd().split("\n");
    return { branch: head.replace(/^## (No commits yet on )?/, "").replace(/\.\.\..*/, ""), files: files.length };
  } catch {
    return { branch: "", files: 0 };
  }
}
