import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";

type Actions = typeof import("./actions.ts");

const session: CliOption = {
  flags: "--session <id>",
  description: "Of this session; the beginning of its id is enough (default: the latest of this directory)",
};
const output: CliOption = {
  flags: "--output <format>",
  description: "How to print",
  values: ["text", "json"],
  default: "text",
};

/** The commands `scorel artifact …`. */
export function artifactCommands(host: () => HostService | undefined): CliCommand[] {
  const command = (action: keyof Actions, args: string, description: string, options: readonly CliOption[] = []) => ({
    noun: "artifact",
    action: action === "remove" ? "rm" : action,
    ...(args !== "" && { args }),
    description,
    options: [session, ...options],
    run: async (invocation: Invocation) => (await import("./actions.ts"))[action](host(), invocation),
  });
  return [
    command("list", "[name]", "List what a session has saved, and the user's; with a name, all its versions", [output]),
    command("get", "<name>", "Print an artifact's bytes; <name>@<version> an earlier one", [
      { flags: "-o, --to <file>", description: "Write them into a new file instead" },
    ]),
    command("remove", "<name>", "Take an artifact off the list, with all its versions"),
    command(
      "lineage",
      "<name>",
      "Say what an artifact was made of: skill, command, inputs, and what those were made of",
      [output],
    ),
    command("replay", "<name>", "Run again what made an artifact, and compare; exits 3 when something differs", [
      {
        flags: "--sandbox <executor>",
        description: "What the program runs in; local: in nothing",
        values: ["auto", "bubblewrap", "docker", "podman", "local"],
      },
      { flags: "--keep", description: "Leave the workspace, and say where it is" },
      output,
    ]),
  ];
}
