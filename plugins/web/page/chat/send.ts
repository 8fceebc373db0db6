import { type Obeyed, obeyed, type RemoteClient } from "@scorel/host/client";
import type { UserMessage } from "@scorel/messages/contract";
import { type Line, meant } from "./line.ts";
import type { Picture } from "./pictures.ts";

type Content = UserMessage["content"];

export type Running = "follow_up" | "steer";

/** Sends a message. While a turn is running, the message is queued, or steers the turn. */
export async function send(client: RemoteClient, sessionId: string, content: Content, running: Running): Promise<void> {
  await client.request("send_message", { sessionId, content, running });
}

/** What a person has entered, and how it is sent while a turn is running. */
export interface Entered {
  line: Line;
  pictures: readonly Picture[];
  running: Running;
}

/** Sends a message, or runs a slash command or shell line. Returns the answer of a command. */
export async function enter(
  client: RemoteClient,
  sessionId: string,
  { line, pictures, running }: Entered,
): Promise<Obeyed> {
  const { mode, text, isSilent } = meant(line);
  if (mode === "command") {
    const [, name = "", args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    return obeyed(name, await client.request("run_command", { sessionId, name, args: args.trim() }));
  }
  if (mode === "shell") await client.request("run_shell", { sessionId, command: text, silent: isSilent });
  else await send(client, sessionId, contentOf(text, pictures), running);
  return {};
}

/** The name of the command that a message would be if it had been typed; undefined if it is not a known one. */
export async function commandIn({ mode, text }: Line, client: RemoteClient, sessionId: string) {
  const [, name] = (mode === "message" && /^\/(\S+)(?: [^\n]*)?$/.exec(text.trim())) || [];
  if (name === undefined) return undefined;
  const { commands } = await client.request("list_commands", { sessionId });
  return commands.find((command) => command.name === name)?.name;
}

/** Combines text with pictures. Pictures need no text. */
export function contentOf(text: string, pictures: readonly Pick<Picture, "data" | "mimeType">[]): Content {
  if (pictures.length === 0) return text;
  const images = pictures.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType }));
  return text.trim() === "" ? images : [{ type: "text", text }, ...images];
}
