import type {} from "@scorel/chat/contract";
import type { Invocation } from "@scorel/cli/contract";
import { everyPage, openFirst, openState, titleWithState } from "@scorel/host/client";
import type { Client, SessionSummary } from "@scorel/host/contract";
import { localMinute } from "@scorel/kit/text/local-time";
import { lineOf } from "@scorel/kit/text/one-line";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

/**
 * `scorel attach`: a conversation in a session of a running host, by default the latest session of this directory with messages. If several
 * of them are open, the user chooses. `at` is for a host at an address: a client of it, and the command line that returns to it.
 */
export async function attach(
  ctx: DaemonContext,
  invocation: Invocation,
  at?: { client: Client; command: string },
): Promise<number> {
  const elsewhere = at?.client;
  const chat = ctx.find("chat");
  if (!chat) throw errors.DAEMON_NO_CHAT();
  if (invocation.options.list === true) return list(ctx, invocation, elsewhere);
  const [wanted] = invocation.args;
  const chosen = wanted === undefined ? await choice(ctx, invocation, elsewhere) : { resume: wanted };
  const options = { ...invocation.options, ...chosen };
  if (!at) return chat.run({ ...invocation, args: [], options });
  const comeBack = (sessionId: string) => `${at.command} ${sessionId}`;
  return chat.run({ ...invocation, args: [], options }, { elsewhere: true, comeBack });
}

async function choice(
  ctx: DaemonContext,
  { cwd, stdin }: Pick<Invocation, "cwd" | "stdin">,
  elsewhere: Client | undefined,
): Promise<{ session: string } | { resume: true }> {
  const client = elsewhere ?? (ctx.find("host")?.connect() as Client);
  try {
    // The directory means nothing to a host on another computer.
    const here = elsewhere ? [] : await sessionsAt(client, { cwd });
    const begun = here.filter(isBegun);
    if (begun.filter(isOpen).length > 1 && stdin.isTTY === true) return { resume: true };
    const all = begun.length > 0 ? begun : await sessionsAt(client, {});
    // A session without messages that a client has just opened is better than none.
    const found = all.find(isBegun) ?? here.find(isOpen) ?? all.find(isOpen);
    if (!found)
      throw elsewhere ? errors.DAEMON_NO_SESSION_THERE() : errors.DAEMON_NO_SESSION({ others: await known(ctx) });
    return { session: found.sessionId };
  } finally {
    // Otherwise this process would count as another client of the session.
    if (!elsewhere) await client.close();
  }
}

/** `scorel attach --list`: the sessions of the host, those that are open first, and then the latest first. */
async function list(ctx: DaemonContext, { stdout }: Invocation, elsewhere: Client | undefined): Promise<number> {
  const client = elsewhere ?? (ctx.find("host")?.connect() as Client);
  try {
    const begun = openFirst((await sessionsAt(client, {})).filter(isBegun));
    for (const session of begun) {
      const { sessionId, updatedAt, cwd } = session;
      stdout.write(`${sessionId}  ${localMinute(updatedAt)}  ${titleWithState(session)}  (${lineOf(cwd)})\n`);
    }
    if (begun.length === 0) stdout.write("The host has no sessions in which something was said.\n");
    return 0;
  } finally {
    await client.close();
  }
}

/** The command lines that connect to hosts on other computers which the transports know. */
async function known(ctx: DaemonContext): Promise<string[]> {
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  return (await Promise.all(transports.map((transport) => transport.known?.() ?? []))).flat();
}

/** Lists sessions, the latest first. */
async function sessionsAt(client: Client, where: { cwd?: string }): Promise<readonly SessionSummary[]> {
  return (await everyPage((page) => client.request("list_sessions", { ...where, ...page }))).sessions;
}

/** Whether the session has messages. */
function isBegun({ messages }: SessionSummary): boolean {
  return messages !== 0;
}

/** Whether the host has the session open. */
function isOpen(session: SessionSummary): boolean {
  return openState(session) !== undefined;
}
