import { text, toolCall } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playMcp(): Promise<string> {
  using home = stage();
  const call = toolCall("mcp__prices__price", { item: "apple" });
  const script = [
    ...[call, text("I was not allowed to look it up."), call, text("An apple costs 40 cents.")],
    text("The apple, at 40 cents."),
    text("One pear, 55 cents, ready to take away."),
    ...[toolCall("ToolSearch", { names: ["price"] }), toolCall("mcp__prices__price", { item: "pear" })],
    text("A pear costs 55 cents."),
  ];
  await using server = await spawnModelServer(script);
  home.useModel(server.baseUrl);
  const written = read("docs/guide/mcp.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
