import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { ListedCommand } from "@scorel/commands/contract";
import { type Obeyed, obeyed } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { cleanText, codeBlock } from "./clean.ts";

const COMMAND = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/;
/** Commands that need a terminal, or that editors replace: starting or choosing a session. */
const LEFT_OUT: ReadonlySet<string> = new Set(["exit", "copy", "new", "clear", "resume"]);

/** A slash command that a person has typed. */
export interface Typed {
  name: string;
  args: string;
}

/** The command that the text consists of; undefined if it is no command. */
export function commandIn(text: string): Typed | undefined {
  const [, name, args = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/** Whether a session has this command. */
export async function isKnown(client: Client, sessionId: string, { name }: Typed): Promise<boolean> {
  return (await listed(client, sessionId)).some((command) => command.name === name);
}

/** The commands of a session, for the editor's list. */
export async function commandsOf(client: Client, sessionId: string): Promise<AvailableCommand[]> {
  return (await listed(client, sessionId)).filter(({ name }) => !LEFT_OUT.has(name)).map(shown);
}

async function listed(client: Client, sessionId: string): Promise<ListedCommand[]> {
  try {
    return (await client.request("list_commands", { sessionId })).commands;
  } catch (thrown) {
    // No plugin of this host has commands.
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return [];
  }
}

function shown({ name, description, usage }: { name: string; description: string; usage: string }): AvailableCommand {
  const [, hint = ""] = /^\S+\s+(.*)$/s.exec(usage) ?? [];
  return {
    name: lineOf(name),
    description: lineOf(description),
    ...(hint !== "" && { input: { hint: lineOf(hint) } }),
  };
}

/** The result of a slash command: text to show, and the id of a message that the command has sent. */
interface Ran {
  text: string;
  turn?: string;
}

/** Runs a command. An error of the command becomes text, since editors show an error of a prompt as a failure of the agent. */
export async function runCommand(client: Client, sessionId: string, command: Typed): Promise<Ran> {
  try {
    return await resultOf(client, sessionId, command);
  } catch (thrown) {
    return { text: cleanText(messageOf(thrown)) };
  }
}

async function resultOf(client: Client, sessionId: string, { name, args }: Typed): Promise<Ran> {
  const result = obeyed(name, await client.request("run_command", { sessionId, name, args }));
  await client.drained(sessionId);
  const { sessionId: other = sessionId, turn } = result;
  // The editor decides which session it shows, so a session that the command has opened is closed.
  if (other !== sessionId) await client.request("close_session", { sessionId: other });
  return { text: textOf(result, sessionId), ...(turn !== undefined && { turn }) };
}

function textOf({ output = "", copy, input, sessionId: other }: Obeyed, sessionId: string): string {
  const parts = [
    output.includes("\n") ? codeBlock(cleanText(output)) : cleanText(output),
    copy === undefined ? "" : codeBlock(cleanText(copy)),
    input === undefined ? "" : `For your next message:\n\n${codeBlock(cleanText(input.text))}`,
    other === undefined || other === sessionId ? "" : `Open session ${lineOf(other)} in the editor's list of sessions.`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}
