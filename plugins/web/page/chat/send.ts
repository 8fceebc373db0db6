import type { RemoteClient } from "@scorel/host/client";

const COMMAND = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i;

/**
 * Sends what a person has written: a message, or a slash command if its first character is a slash and the session knows it. Returns what
 * a command says.
 */
export async function send(
  client: RemoteClient,
  sessionId: string,
  text: string,
  running: "follow_up" | "steer",
): Promise<string | undefined> {
  const [, name, args = ""] = COMMAND.exec(text) ?? [];
  if (name === undefined) {
    await client.request("send_message", { sessionId, content: text, running });
    return undefined;
  }
  const { output } = await client.request("run_command", { sessionId, name, args: args.trim() });
  return output;
}
