import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";

const yes: CliOption = { flags: "--yes", description: "Do not ask" };
const withFiles: readonly CliOption[] = [
  { flags: "--files", description: "Restore the files as they were then; shows the changes and asks first" },
  { flags: "--overwrite", description: "With --files: also files that were changed outside the session since" },
  yes,
];

/** The kind of the completion source that knows the trash. */
export const DELETED = "deleted-session";

type Actions = typeof import("./actions.ts");
type Action = Exclude<keyof Actions, "default">;

/** Creates the commands `scorel session …` that move within a session's tree or manage sessions. */
export function historyCommands(host: () => HostService | undefined): CliCommand[] {
  const command = (action: Action, args: string, description: string, options: readonly CliOption[] = []) => ({
    noun: "session",
    action,
    ...(args !== "" && { args }),
    ...(/^<id/.test(args) && { completes: "session" }),
    ...(action === "restore" && { completes: DELETED }),
    description,
    options,
    // A compaction calls the model, with the project's settings and extensions.
    ...(action !== "compact" && { usesProject: false as const }),
    run: async (invocation: Invocation) => {
      const [actions, { withClient }] = await Promise.all([import("./actions.ts"), import("./client.ts")]);
      return withClient(host(), invocation, actions[action]);
    },
  });
  return [
    command("tree", "<id>", "Draw a session's tree: a line for each event, with branches and the current position", [
      { flags: "--all", description: "Also show events outside the conversation: settings, rewinds" },
      { flags: "--tail <n>", description: "Only the last n events (default: all; in a terminal, 200)" },
      outputOption,
    ]),
    command("rewind", "<id> <event>", "Go back to an event (or `start`); what came after stays in the tree", withFiles),
    command("branch", "<id> <event>", "Continue at the end of another branch"),
    command("clone", "<id> [event]", "Copy the conversation up to an event into a new session"),
    command("undo", "<id>", "Go back to before the last user message", withFiles),
    command("redo", "<id>", "Revert the last undo, if no message was added since", withFiles),
    command("rename", "<id> <name...>", "Rename a session"),
    command("archive", "<id...>", "Archive sessions: lists leave one out until a message is sent in it"),
    command("unarchive", "<id...>", "Take sessions out of the archive"),
    command("compact", "<id> [words...]", "Replace the older part by a summary; the words say what to keep"),
    command("delete", "<id...>", "Move sessions to the trash"),
    command(
      "restore",
      "[id...]",
      "Take sessions out of the trash; without an id, list it; `latest` is the one deleted last",
    ),
    command("purge", "", "Delete for good what is in the trash", [yes]),
  ];
}
