import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Reply, text, toolCall, usage } from "../model-server.ts";

const cart = `export function total(items) {
  let sum = 0;
  for (let i = 1; i < items.length; i++) sum += items[i].price;
  return sum;
}
`;
const fixed = { old_string: "let i = 1", new_string: "let i = 0" };
const summary = `The loop began at 1, so \`total\` left out the **first item**:

| items | before | now |
| --- | ---: | ---: |
| \`[]\` | 0 | 0 |
| \`[{ price: 2 }]\` | 0 | 2 |

The test covers the first item now.`;
const more = usage({ input: 2100, output: 40 });

/** The model's replies while it repairs the sum, and its replies to two later questions. */
export const cartReplies: Reply[] = [
  [text("A price of the test data is a text."), more],
  [text("I will look at it."), toolCall("Read", { file_path: "src/cart.js" }), more],
  [toolCall("Edit", { file_path: "src/cart.js", ...fixed }), more],
  [toolCall("Bash", { command: "grep -n 'let i' src/cart.js" }), more],
  [text(summary), more],
  [text("Nothing else uses it."), more],
  [text("I will try it."), toolCall("Bash", { command: "node --test && git diff --stat" }), more],
];

/** Makes a git repository of a small program whose sum leaves out the first item. */
export function commitCart(folder: string): void {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src/cart.js"), cart);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=You", "-c", "user.email=you@example.com", ...args], { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart");
}
