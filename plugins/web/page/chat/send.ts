import type { RemoteClient } from "@scorel/host/client";
import type { CommandResult } from "@scorel/host/contract";
import type { UserMessage } from "@scorel/messages/contract";
import { type Line, meant } from "./line.ts";
import type { Picture } from "./pictures.ts";

type Content = UserMessage["content"];

export type Running = "follow_up" | "steer";

/** Sends a message. While a turn runs, it waits for its end, or is steered into it. */
export async function send(client: RemoteClient, sessionId: string, content: Content, running: Running): Promise<void> {
  await client.request("send_message", { sessionId, content, running });
}

/** What a person has written, and how it is sent while a turn runs. */
export interface Entered {
  line: Line;
  pictures: readonly Picture[];
  running: Running;
}

/** Does what the field says: sends a message, or runs a slash command or a shell line. Returns what a command answers. */
export async function enter(
  client: RemoteClient,
  sessionId: string,
  { line, pictures, running }: Entered,
): Promise<CommandResult> {
  const { mode, text, isSilent } = meant(line);
  if (mode === "command") {
    const [, name = "", args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    return client.request("run_command", { sessionId, name, args: args.trim() });
  }
  if (mode === "shell") await client.request("run_shell", { sessionId, command: text, silent: isSilent });
  else await send(client, sessionId, contentOf(text, pictures), running);
  return {};
}

/** A text with pictures. Pictures alone need no text. */
export function contentOf(text: string, pictures: readonly Pick<Picture, "data" | "mimeType">[]): Content {
  if (pictures.length === 0) return text;
  const images = pictures.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType }));
  return text.trim() === "" ? images : [{ type: "text", text }, ...images];
}
