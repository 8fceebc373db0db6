import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";

type Actions = typeof import("./actions.ts");

/** Creates the commands `scorel project …`. */
export function projectCommands(host: () => HostService | undefined): CliCommand[] {
  const command = (action: keyof Actions, args: string, description: string, options: readonly CliOption[] = []) => ({
    noun: "project",
    action,
    ...(args !== "" && { args }),
    description,
    options,
    run: async (invocation: Invocation) => (await import("./actions.ts"))[action](host(), invocation),
  });
  return [
    command("list", "", "List the directories that sessions work in, latest used first", [outputOption]),
    command("add", "[directory]", "Register a directory (default: this one) before a session uses it", [
      { flags: "--name <name>", description: "What to call it; default: the directory's name" },
    ]),
    command("remove", "<project>", "Remove a project from the list; its sessions stay"),
    command(
      "move",
      "<project> <directory>",
      "Record where a project, or a directory in it, has moved; its sessions follow",
    ),
  ];
}
