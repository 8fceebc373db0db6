import type { CliCommand, CliOption } from "@scorel/cli/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type { HostService } from "../contract.ts";
import type { LocalHost } from "../host.ts";

const tail: CliOption = { flags: "--tail <n>", description: "Only the last n events" };

/**
 * Commands `scorel session …` that read sessions, even while another process writes them, plus `run` and `queue --run`.
 */
export function sessionCommands(host: () => LocalHost, service: () => HostService): CliCommand[] {
  const views = () => import("./session-views.ts");
  return [
    {
      noun: "session",
      action: "list",
      description: "List the sessions of this directory, latest first",
      options: [
        { flags: "--all", description: "List the sessions of every directory" },
        {
          flags: "--children",
          description: "Also list sessions that belong to other sessions, such as those of subagents",
        },
        { flags: "--archived", description: "Also list archived sessions" },
        { flags: "--project <name>", description: "List the sessions of a project: its id, name or directory" },
        { flags: "--limit <n>", description: "At most this many, up to 1000" },
        outputOption,
      ],
      run: async (invocation) => (await views()).list(host(), invocation),
    },
    {
      noun: "session",
      action: "show",
      args: "<id>",
      completes: "session",
      description: "Show a session's conversation; for all of these, `latest` is the latest session of this directory",
      options: [tail],
      usesProject: false,
      run: async (invocation) => (await views()).show(host(), invocation),
    },
    {
      noun: "session",
      action: "events",
      args: "<id>",
      completes: "session",
      description: "Print a session's stored events, one JSON object per line",
      options: [tail],
      run: async (invocation) => (await views()).events(host(), invocation),
    },
    {
      noun: "session",
      action: "context",
      args: "<id>",
      completes: "session",
      description: "Print the messages that the next request would send, and their sha256",
      run: async (invocation) => (await views()).context(host(), invocation),
    },
    {
      noun: "session",
      action: "queue",
      args: "<id>",
      completes: "session",
      description: "Show the queued messages of a session",
      options: [{ flags: "--run", description: "Send them to the model now, and print its answer" }, outputOption],
      run: async (invocation) =>
        invocation.options.run === true
          ? (await import("./command-run.ts")).runQueue(service(), invocation)
          : (await views()).queue(host(), invocation),
    },
    {
      noun: "session",
      action: "verify",
      args: "<id>",
      completes: "session",
      description: "Check a session's log for damage; exits 1 if there is any",
      options: [{ flags: "--all", description: "List every damaged place, not only the first 20" }],
      run: async (invocation) => (await views()).verify(host(), invocation),
    },
    {
      noun: "session",
      action: "run",
      args: "<id> <command>",
      completes: "session",
      description: "Run a slash command in a session, as in `scorel session run 7hQ2 /cost`",
      options: [outputOption],
      run: async (invocation) => (await import("./command-run.ts")).runCommand(service(), invocation),
    },
  ];
}
