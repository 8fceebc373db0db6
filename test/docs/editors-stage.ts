import { comparable, play } from "./guide.ts";
import { stage } from "./guide-stage.ts";
import { read } from "./source.ts";

const path = "docs/guide/editors.md";

/**
 * Runs the guide's commands and returns its text with the current outputs. The text is unchanged if only versions and
 * the like differ.
 */
export async function playEditors(): Promise<string> {
  using home = stage();
  const written = read(path);
  const played = play(written, home, "http://127.0.0.1:9/v1");
  return comparable(played) === comparable(written) ? written : played;
}

/** The commands in the guide's settings that start the agent. */
export function commandsInGuide(): string[][] {
  const text = read(path);
  const json = [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => JSON.parse(block));
  const servers = json.flatMap(({ agent_servers }) => Object.values(agent_servers)) as {
    command: string;
    args: string[];
  }[];
  const lua = /default = \{ (.*?) \}/.exec(text)?.[1] ?? "";
  const [, command = "", params = ""] = /:command "(.*)"\s+:command-params '\((.*)\)/.exec(text) ?? [];
  const words = (list: string) => [...list.matchAll(/"(.*?)"/g)].map(([, word = ""]) => word);
  return [...servers.map((server) => [server.command, ...server.args]), words(lua), [command, ...words(params)]];
}
