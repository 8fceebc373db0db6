import type { TurnOutcome } from "@scorel/agent/contract";
import type { ListedCommand } from "@scorel/commands/contract";
import { obeyed } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { namesakeHint } from "@scorel/kit/values/namesakes";
import { errors } from "./errors.ts";
import { outcomeOf } from "./formats.ts";

/** Matches a prompt that is a slash command. `/skill:name` is not a command: it names a skill within a message. */
const COMMAND = /^\/(?!skill:)([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/;

/** A slash command with its arguments. */
export interface Typed {
  name: string;
  args: string;
}

/**
 * The slash command that a prompt consists of; undefined for other prompts. Calls `warn` for an unknown command. Throws
 * PRINT_COMMAND_SEALED for a command that decides what runs without a question, since a script may pass on text from other people.
 */
export async function commandIn(
  client: Client,
  sessionId: string,
  prompt: string,
  warn: (text: string) => Promise<void>,
): Promise<Typed | undefined> {
  const [, name, args = ""] = COMMAND.exec(prompt.trim()) ?? [];
  if (name === undefined) return undefined;
  const known = await commandsOf(client, sessionId);
  const command = known.find((each) => each.name === name);
  if (command?.sealed) throw errors.PRINT_COMMAND_SEALED({ name });
  if (command) return { name, args: args.trim() };
  const hint = namesakeHint(
    name,
    known.map((each) => each.name),
  );
  await warn(`warning: There is no slash command /${name} in this session, so the model gets it as text.${hint}`);
  return undefined;
}

async function commandsOf(client: Client, sessionId: string): Promise<ListedCommand[]> {
  try {
    return (await client.request("list_commands", { sessionId })).commands;
  } catch (thrown) {
    // The preset has no plugin for commands.
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return [];
  }
}

/**
 * Runs a slash command. Returns the id of the turn that it has begun, or else its output. Throws the command's errors, and PRINT_COMMAND
 * for a command that is only useful in a conversation. `cut` cancels the command.
 */
export async function runCommand(
  client: Client,
  sessionId: string,
  { name, args }: Typed,
  cut: AbortSignal,
): Promise<{ turn: string } | { outcome: TurnOutcome }> {
  const running = client.request("run_command", { sessionId, name, args });
  const result = obeyed(name, await cancelledBy(cut, running, client, sessionId));
  const { turn, output, copy, sessionId: other = sessionId } = result;
  if (turn !== undefined) return { turn };
  if (other !== sessionId) await client.request("close_session", { sessionId: other });
  const text = output ?? copy;
  if (text === undefined || other !== sessionId) throw errors.PRINT_COMMAND({ name });
  return { outcome: outcomeOf(text) };
}

/** Waits for a running command, and cancels it when `cut` aborts. */
async function cancelledBy<R>(cut: AbortSignal, running: Promise<R>, client: Client, sessionId: string): Promise<R> {
  const over = new AbortController();
  const refused = new Promise<never>((_, reject) => {
    const cancel = () => void client.request("cancel_commands", { sessionId }).catch(reject);
    cut.addEventListener("abort", cancel, { signal: over.signal });
    if (cut.aborted) cancel();
  });
  try {
    return await Promise.race([running, refused]);
  } finally {
    over.abort();
  }
}
