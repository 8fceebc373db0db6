import type {} from "@scorel/host/contract";
import type { BaseContext, Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { CommandRegistry } from "./registry.ts";
import type { Run, RunningCommands } from "./running-commands.ts";

const sessionId = z.string();

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The state of a session that its operations share. */
interface SessionState {
  running: RunningCommands;
  /** The commands of the session. */
  commands(): Promise<CommandRegistry>;
}

/** The operations with which clients list, complete and run slash commands. */
export function operations(ctx: BaseContext, { running, commands }: SessionState) {
  return {
    list_commands: {
      summary: "Lists the slash commands of a session.",
      readOnly: true,
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).list_commands,
      run: async () => ({ commands: await (await commands()).list() }),
    },
    run_command: {
      summary: "Runs a slash command.",
      size: { bounded: "It returns the pictures of one message at most." },
      checksOperations: true,
      params: () => z.strictObject({ sessionId, name: z.string(), args: z.string() }),
      result: async () => (await results()).run_command,
      run: ({ name, args }, { clientId, request, assertOperations, signal: left }) => {
        const run: Run = { name, clientId };
        // It is among the running commands before its code is loaded, so that its client can cancel it from the beginning.
        return running.run(run, left, async (signal, cancelled) => {
          const { runCommand } = await import("./run-command.ts");
          const registry = await commands();
          const sessionId = ctx.session.id;
          const context = { sessionId, clientId, request, assertOperations, signal, cancelled };
          return runCommand({ ctx, registry, run }, args, context);
        });
      },
    },
    cancel_commands: {
      summary: "Cancels the slash commands that this client runs in a session.",
      readOnly: true,
      size: { bounded: "It returns the names of commands that ran at the same time." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).cancel_commands,
      run: (_asked, { clientId }) => ({ cancelled: running.cancel(clientId) }),
    },
    list_choices: {
      summary: "Lists what the argument of a slash command is chosen from.",
      readOnly: true,
      size: { bounded: "It returns what a person can choose from, and no more than 1,000 choices." },
      params: () => z.strictObject({ sessionId, name: z.string() }),
      result: async () => (await results()).list_choices,
      run: async ({ name }, { clientId, request, assertOperations, signal }) => {
        const { listChoices } = await import("./choices.ts");
        const context = { sessionId: ctx.session.id, clientId, request, assertOperations, signal, cancelled: signal };
        return listChoices(ctx, await (await commands()).find(name), context);
      },
    },
    complete_command: {
      summary: "Completes the end of a line: a slash command or a marked word.",
      readOnly: true,
      size: { bounded: "It returns the words that a person can choose from." },
      params: () => z.strictObject({ sessionId, line: z.string() }),
      result: async () => (await results()).complete_command,
      run: async ({ line }, { clientId, request, assertOperations, signal }) => {
        const { completeCommand } = await import("./completion.ts");
        const context = { sessionId: ctx.session.id, clientId, request, assertOperations, signal, cancelled: signal };
        return completeCommand({ ctx, registry: await commands() }, line, context);
      },
    },
    list_background: {
      summary: "Lists the work that runs in the background of a session, such as commands and subagents.",
      readOnly: true,
      size: { bounded: "A plugin lists up to 100 items." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).list_background,
      run: async () => ({ items: (await import("./background.ts")).listBackground(ctx) }),
    },
    stop_background: {
      summary: "Stops work in the background, and waits until it has ended.",
      params: () => z.strictObject({ sessionId, id: z.string() }),
      result: async () => (await results()).stop_background,
      run: async ({ id }) => {
        await (await import("./background.ts")).stopBackground(ctx, id);
        return {};
      },
    },
    wait_background: {
      summary: "Waits for a message that announces the end of work in the background.",
      readOnly: true,
      size: { bounded: "It returns ids of messages." },
      params: () =>
        z.strictObject({
          sessionId,
          after: z.number().int().min(0).describe("The work that is meant began after the event with this seq."),
          known: z.array(z.string()).max(1_000).describe("Ids of messages that were returned before."),
          wait: z.boolean().optional().describe("`false` returns at once. Default: `true`."),
        }),
      result: async () => (await results()).wait_background,
      run: async (asked) => (await import("./background.ts")).waitForReports(ctx, asked),
    },
  } satisfies Contributions["operations"];
}
