import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
import type { CommandResult, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";

/** Codes of a redo that was refused because the conversation has continued, so that nothing must be restored. */
const CONTINUED = ["HISTORY_CONFLICT", "HISTORY_NO_REDO", "LOG_BUSY"];

/** Creates `/retry`, which sends the last message of the session again. */
export function createRetry(ctx: BaseContext): (context: SlashContext) => Promise<CommandResult> {
  let latest: Promise<unknown> = Promise.resolve();
  return (context) => {
    const expectedLeafId = ctx.session.activeLeaf;
    // One after another: between undoing and sending, a second one would undo the message before.
    const result = latest.then(() => sendAgain(context, expectedLeafId));
    latest = result.catch(() => {}); // The failure belongs to the client that has run the command.
    return result;
  };
}

async function sendAgain(context: SlashContext, expectedLeafId: string | null): Promise<CommandResult> {
  const { sessionId, request } = context;
  const { leafId, message } = await request("undo", { sessionId, expectedLeafId });
  try {
    const { id } = await request("send_message", { sessionId, content: message.content });
    return { output: "Sent again.", turn: id };
  } catch (thrown) {
    await takeBack(context, leafId, thrown);
    throw thrown;
  }
}

/** Reverts the undo after the message could not be sent because of `failure`. Throws COMMAND_RETRY if that is not possible. */
async function takeBack(
  { sessionId, request }: SlashContext,
  expectedLeafId: string | null,
  failure: unknown,
): Promise<void> {
  try {
    await request("redo", { sessionId, expectedLeafId });
  } catch (thrown) {
    if (CONTINUED.includes(codeOf(thrown))) return;
    throw errors.COMMAND_RETRY({ reason: messageOf(failure), redo: messageOf(thrown) }, { cause: failure });
  }
}
