import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";

type Actions = typeof import("./actions.ts");

const session: CliOption = {
  flags: "--session <id>",
  description: "Of this session; the beginning of its id is enough (default: the latest of this directory)",
  completes: "session",
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
    command("list", "[name]", "List the artifacts of a session and of the user; with a name, all its versions", [
      outputOption,
    ]),
    command("get", "<name>", "Print an artifact's bytes; <name>@<version> an earlier one", [
      { flags: "-o, --to <file>", description: "Write them to a new file instead" },
    ]),
    command("remove", "<name>", "Remove an artifact from the list, with all its versions"),
    command("lineage", "<name>", "Show how an artifact was made: skill, command, inputs, and their own inputs", [
      outputOption,
    ]),
    command("replay", "<name>", "Repeat the run that made an artifact, and compare; exits 3 when something differs", [
      {
        flags: "--sandbox <executor>",
        description: "The sandbox that the program runs in; local: none",
        values: ["auto", "bubblewrap", "docker", "podman", "local"],
      },
      { flags: "--keep", description: "Keep the workspace, and print its path" },
      outputOption,
    ]),
  ];
}
