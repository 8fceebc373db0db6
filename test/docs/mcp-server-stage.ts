import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const path = "docs/guide/mcp-server.md";

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only versions and
 * the like differ.
 */
export function playMcpServer(): string {
  using home = stage();
  const written = read(path);
  const played = play(written, home, "http://127.0.0.1:9/v1");
  return comparable(played) === comparable(written) ? written : played;
}
