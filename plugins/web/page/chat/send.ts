import type { RemoteClient } from "@scorel/host/client";
import type { CommandResult } from "@scorel/host/contract";
import { type Line, meant } from "./line.ts";

export type Running = "follow_up" | "steer";

/** Sends a message. While a turn runs, it waits for its end, or is steered into it. */
export async function send(client: RemoteClient, sessionId: string, content: string, running: Running): Promise<void> {
  await client.request("send_message", { sessionId, content, running });
}

/** Does what the field says: sends a message, or runs a slash command or a shell line. Returns what a command answers. */
export async function enter(
  client: RemoteClient,
  sessionId: string,
  line: Line,
  running: Running,
): Promise<CommandResult> {
  const { mode, text, isSilent } = meant(line);
  if (mode === "command") {
    const [, name = "", args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
    return client.request("run_command", { sessionId, name, args: args.trim() });
  }
  if (mode === "shell") await client.request("run_shell", { sessionId, command: text, silent: isSilent });
  else await send(client, sessionId, text, running);
  return {};
}
