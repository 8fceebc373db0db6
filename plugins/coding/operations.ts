import type { OperationContext } from "@scorel/host/contract";
import type { BaseContext, Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { ShellLines } from "./shell/shell-lines.ts";

const MAX_COMMAND = 100_000;

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations by which people run shell lines. `lines` loads the code that runs them. */
export function operations(ctx: BaseContext, lines: () => Promise<ShellLines>) {
  return {
    run_shell: {
      summary: "Runs a shell line that a person typed, with the session's tool Bash.",
      params: () =>
        z.strictObject({
          sessionId: z.string(),
          command: z.string().max(MAX_COMMAND).regex(/\S/, "it must not be empty"),
          silent: z.boolean().optional().describe("True: the model does not get it."),
          messageId: z
            .string()
            .optional()
            .describe(
              "Any text that the client chose for this request. Repeated with the same one, the command does not run again.",
            ),
        }),
      result: async () => (await results()).run_shell,
      run: async ({ command, silent = false, messageId }, context) => {
        const answers = isAllowed(context, ctx);
        return (await lines()).start({ command, silent, messageId, clientId: context.clientId, answers });
      },
    },
    end_shell: {
      summary:
        "Kills a running shell line with everything that it started, or all such lines. A client that may not answer questions can end only its own.",
      params: () =>
        z.strictObject({
          sessionId: z.string(),
          eventId: z.string().optional().describe("Id of the line's event. Default: all that the client may end."),
        }),
      result: async () => (await results()).end_shell,
      run: async ({ eventId }, context) => {
        const shell = await lines();
        const { clientId } = context;
        if (eventId === undefined) return { ended: await shell.endAll(mayAnswer(context) ? undefined : clientId) };
        if ((shell.ownerOf(eventId) ?? clientId) !== clientId)
          context.assertOperations(ANSWERING, "ending a shell line of another client");
        return { ended: await shell.end(eventId) };
      },
    },
  } satisfies Contributions["operations"];
}

/**
 * The operation that a client must be allowed to use to end other clients' shell lines: whoever may answer questions
 * could allow any command.
 */
const ANSWERING = ["answer_request"];

function mayAnswer(context: OperationContext): boolean {
  return canUse(context, ANSWERING, "ending shell lines of other clients");
}

/**
 * Whether the client could allow any command: by answering the question about it and, in mode `plan`, by changing the
 * mode. Otherwise its commands are judged like those of the model.
 */
function isAllowed(context: OperationContext, ctx: BaseContext): boolean {
  const isPlanning = ctx.find("permissions")?.mode === "plan";
  const needed = [...ANSWERING, ...(isPlanning ? ["set_permission"] : [])];
  return canUse(context, needed, "running a command without a question");
}

function canUse(context: OperationContext, operations: readonly string[], what: string): boolean {
  try {
    context.assertOperations(operations, what);
    return true;
  } catch {
    return false;
  }
}
