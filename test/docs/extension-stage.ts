import { type Reply, text, toolCall, usage } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const spent = usage({ input: 2000, output: 20 });

/** The replies of the guide's model, in the order of its requests. */
const script: Reply[] = [
  [toolCall("CountLines", { path: "src/cart.js" }), spent],
  [text("It has 5 lines."), spent],
  [toolCall("Weather", { city: "rome" }), spent],
  [text("It is sunny."), spent],
  [toolCall("Bash", { command: "rm src/cart.js" }), spent],
  [text("I was told that nothing is deleted here, so I have left it."), spent],
  [toolCall("Bash", { command: "npm publish" }), spent],
  [text("It was not published, because this is a rehearsal."), spent],
  [toolCall("Bash", { command: "git log" }), spent],
  [text("There is one commit: A cart."), spent],
];

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playExtensions(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(script);
  home.useModel(server.baseUrl);
  const written = read("docs/guide/write-an-extension.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
