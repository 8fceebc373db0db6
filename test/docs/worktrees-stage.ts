import { type Reply, text, toolCall, usage } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const edit = toolCall("Edit", { file_path: "src/cart.js", old_string: "let i = 1", new_string: "let i = 0" });

/** The replies of the guide's model, in the order of its requests. */
const script: Reply[] = [
  [toolCall("Read", { file_path: "src/cart.js" }), usage({ input: 1900, output: 40 })],
  [edit, usage({ input: 2000, output: 40 })],
  [text("The loop starts at 0 now."), usage({ input: 2100, output: 15 })],
];

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playWorktrees(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(script);
  const written = read("docs/guide/worktrees.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
