import type {} from "@scorel/chat/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Client } from "@scorel/host/contract";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

/** `scorel attach`: a conversation in a session of a running host, by default the session that was used last. */
export async function attach(ctx: DaemonContext, invocation: Invocation): Promise<number> {
  const chat = ctx.find("chat");
  if (!chat) throw errors.DAEMON_NO_CHAT();
  const session = invocation.args[0] ?? (await latest(ctx.find("host")?.connect() as Client));
  return chat.run({ ...invocation, args: [], options: { ...invocation.options, session } });
}

async function latest(client: Client): Promise<string> {
  const { sessions } = await client.request("list_sessions", { limit: 1 });
  if (!sessions[0]) throw errors.DAEMON_NO_SESSION();
  return sessions[0].sessionId;
}
