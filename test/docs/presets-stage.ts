import { text } from "../model-server.ts";
import { spawnModelServer } from "../model-server-process.ts";
import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only ids, times and
 * the like differ.
 */
export async function playPresets(): Promise<string> {
  using home = stage();
  await using server = await spawnModelServer(Array.from({ length: 12 }, () => text("It adds up price times count.")));
  home.useModel(server.baseUrl);
  const written = read("docs/guide/presets.md");
  const played = play(written, home, server.baseUrl);
  return comparable(played) === comparable(written) ? written : played;
}
