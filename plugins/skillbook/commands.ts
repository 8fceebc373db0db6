import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";

const scope: readonly CliOption[] = [
  { flags: "--session <id>", description: "Only one session, by its id or the beginning of it", completes: "session" },
  { flags: "--all", description: "All sessions, not only those of this project" },
];

type Action = "list" | "show" | "check" | "report";

/** The command `scorel skill run`, whose program uses the streams and determines the exit code. */
function runCommand(host: () => HostService | undefined): CliCommand {
  return {
    noun: "skill",
    action: "run",
    args: "<name> <command...>",
    description:
      "Run a program of a skill in the sandbox and exit with its code; a single word is run as a bash command line",
    options: [
      { flags: "--input <file>", description: "Put it into inputs/ of the workspace", repeatable: true },
      { flags: "--out <dir>", description: "Copy what it leaves in out/ into this folder, which is new or empty" },
      { flags: "--keep", description: "Keep the workspace, and print its path" },
      { flags: "--timeout <seconds>", description: "Seconds until it is killed (default: 300)" },
      {
        flags: "--sandbox <executor>",
        description: "The sandbox that it runs in; local: none",
        values: ["auto", "bubblewrap", "docker", "podman", "local"],
      },
      outputOption,
    ],
    run: async (invocation) => (await import("./run.ts")).run(host(), invocation),
  };
}

/** The commands `scorel skill list|show|check|run|report`. */
export function skillCommands(host: () => HostService | undefined): CliCommand[] {
  const command = (action: Action, args: string, description: string, more: readonly CliOption[] = []): CliCommand => ({
    noun: "skill",
    action,
    ...(args !== "" && { args }),
    description,
    options: [...more, outputOption],
    run: async (invocation: Invocation) => {
      const [{ actions }, { inSession }] = await Promise.all([import("./actions.ts"), import("./command-context.ts")]);
      return inSession(host(), invocation, actions[action]);
    },
  });
  return [
    command("list", "", "List the skills that a session started here can load, and those left out"),
    command("show", "<name>", "Print a skill: its folder, its docs, violations of the open format, its text"),
    command(
      "check",
      "[path]",
      "Check skills against the open format, with file and line; exits 1 when one violates it",
    ),
    runCommand(host),
    command("report", "", "Show which skills prompts asked for by their words without loading them", scope),
  ];
}
