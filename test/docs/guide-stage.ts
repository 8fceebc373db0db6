import { execFileSync } from "node:child_process";
import { modelTable, type Scratch, scratch } from "../e2e/scorel.ts";
import { type Reply, text, toolCall, usage } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { read } from "./source.ts";

/** The repository of the guide. */
const cart = `export function total(items) {
  let sum = 0;
  for (let i = 1; i < items.length; i++) sum += items[i].price * items[i].count;
  return sum;
}
`;

const said = "`total` adds up price times count of every item but the first: its loop starts at 1.";

/** The replies of the guide's model, in the order of its requests. */
const script: Reply[] = [
  [toolCall("Grep", { pattern: "function total" }), usage({ input: 1900, output: 20 })],
  [toolCall("Read", { file_path: "src/cart.js" }), usage({ input: 2000, output: 20 })],
  [text(said), usage({ input: 2200, output: 30 })],
  [
    toolCall("Edit", { file_path: "src/cart.js", old_string: "let i = 1", new_string: "let i = 0" }),
    usage({ input: 2300, output: 40 }),
  ],
  [text("Done: the loop starts at 0 now."), usage({ input: 2400, output: 12 })],
  [toolCall("Read", { file_path: "src/cart.js" }), usage({ input: 2000, output: 20 })],
  [text("It adds up price times count of every item."), usage({ input: 2200, output: 15 })],
];

/** The output of a conversation whose lines are piped in, in the repository at the end of the guide. */
export async function talkAsGuide(lines: readonly string[]): Promise<string> {
  using home = stage();
  home.file("src/cart.js", cart.replace("let i = 1", "let i = 0"));
  await using server = await spawnModelServer(script.slice(5));
  // The model that was configured earlier in the guide.
  const table = modelTable(server.baseUrl).replace('"scripted"', '"local"').replace("scripted-model", "my-model");
  home.file("~/.scorel/config.toml", table);
  const { stdout } = await home.run(["chat"], { input: lines.map((line) => `${line}\n`).join("") });
  return stdout;
}

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playGuide(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(script);
  const written = read("docs/guide/first-session.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}

/** A home without configuration, and the guide's repository with git. */
export function stage(): Scratch {
  const home = scratch();
  home.file("src/cart.js", cart);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=You", "-c", "user.email=you@example.com", ...args], { cwd: home.project });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart");
  return home;
}
