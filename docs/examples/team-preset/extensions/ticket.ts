/** Tells the model with each prompt the ticket of the branch, such as ABC-12 for `ABC-12-faster-cart`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";

const run = promisify(execFile);

export default definePlugin({
  id: "ticket",
  name: "Ticket",
  version: "1.0.0",
  needs: ["prompt", "workspace"],
  hooks: ({ workspace }) => ({
    async promptSubmit() {
      // Outside of a repository there is no branch.
      const branch = await run("git", ["branch", "--show-current"], { cwd: workspace.root }).catch(() => undefined);
      const ticket = /^[A-Z]+-\d+/.exec(branch?.stdout ?? "")?.[0];
      return ticket === undefined ? undefined : { context: `This work is for ticket ${ticket}.` };
    },
  }),
});
