import type {} from "@scorel/chat/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Client } from "@scorel/host/contract";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

/** `scorel attach`: a conversation in a session of a running host, by default the session that was used last. `elsewhere` is a client of a host at an address. */
export async function attach(ctx: DaemonContext, invocation: Invocation, elsewhere?: Client): Promise<number> {
  const chat = ctx.find("chat");
  if (!chat) throw errors.DAEMON_NO_CHAT();
  const [wanted] = invocation.args;
  const chosen = wanted === undefined ? { session: await latest(ctx, elsewhere) } : { resume: wanted };
  const options = { ...invocation.options, ...chosen };
  return chat.run({ ...invocation, args: [], options }, { elsewhere: elsewhere !== undefined });
}

async function latest(ctx: DaemonContext, elsewhere: Client | undefined): Promise<string> {
  const client = elsewhere ?? (ctx.find("host")?.connect() as Client);
  try {
    const { sessions } = await client.request("list_sessions", { limit: 1 });
    if (!sessions[0]) throw errors.DAEMON_NO_SESSION();
    return sessions[0].sessionId;
  } finally {
    // Else this process would count as another client of the session.
    if (!elsewhere) await client.close();
  }
}
