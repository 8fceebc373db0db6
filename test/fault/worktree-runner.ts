import { createInterface } from "node:readline";
import { worktrees } from "../../plugins/worktrees/service.ts";

/** Creates, merges or removes a worktree of the repository `root` after a line on stdin, and prints the result. */
const [root = "", action = "", name = ""] = process.argv.slice(2);
const actions: Record<string, () => Promise<object>> = {
  create: () => worktrees.create(root, name),
  merge: () => worktrees.merge(root, name),
  remove: () => worktrees.remove(root, name),
};
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
process.stdout.write("ready\n");
await lines.next();
const ended = actions[action]?.().then(
  (result) => ({ result }),
  (thrown: Error) => ({ thrown: thrown.message }),
);
process.stdout.write(`${JSON.stringify(await ended)}\n`);
process.exit();
