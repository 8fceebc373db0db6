import type { Invocation } from "@scorel/cli/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { timeSpan } from "@scorel/kit/text/time-span";
import type { DaemonContext } from "./context.ts";
import type { HostStatus } from "./contract.ts";
import { dialHost } from "./dial.ts";
import { elsewhereText, heldElsewhere } from "./elsewhere.ts";
import { errors } from "./errors.ts";
import { readLog } from "./log-file.ts";
import { logFile } from "./run-folder.ts";
import { type Serving, serve } from "./serve.ts";
import { addressLines, type Daemon, findDaemon } from "./state.ts";
import { stopDaemon } from "./stop.ts";

/** `scorel host serve` */
export async function serveCommand(ctx: DaemonContext, asked: Invocation, set: (serving: Serving) => void) {
  const { withConsent } = await import("./consent.ts");
  const options = await withConsent(ctx, asked);
  const invocation = { ...asked, options };
  const { stdout } = asked;
  if (options.foreground === true) return serve(ctx, invocation, set);
  if (options.replace === true) {
    const freed = findDaemon()?.state?.addresses.map(({ address }) => address) ?? [];
    for (const { value } of ctx.collect("transports"))
      for (const transport of value) await transport.probe?.(options, freed);
    await stopDaemon();
  }
  const running = findDaemon();
  if (running) throw errors.DAEMON_RUNNING(running);
  const { startInBackground, wordsOf } = await import("./background.ts");
  const state = await startInBackground(invocation, wordsOf(ctx, options));
  const elsewhere = elsewhereText(heldElsewhere(ctx, state.pid));
  stdout.write(`The host runs now (process ${state.pid}).\n${addressLines(state.addresses)}${elsewhere}`);
  return 0;
}

/** `scorel host status`. Exits with 1 when no host runs. */
export async function statusCommand(
  ctx: DaemonContext,
  { options, stdout }: Invocation,
  limitMs = LIVE_MS,
): Promise<number> {
  const daemon = findDaemon();
  const live = await liveStatus(ctx, daemon, limitMs);
  const elsewhere = heldElsewhere(ctx, daemon?.pid);
  if (options.output === "json") {
    const { clients, sessions } = live ?? {};
    const shown = daemon
      ? { running: true, ...daemon, ...(live && { clients, sessions }), elsewhere }
      : { running: false, elsewhere };
    stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  } else
    stdout.write(daemon ? statusText(daemon, live) + elsewhereText(elsewhere) : `${errors.DAEMON_NONE().message}\n`);
  return daemon ? 0 : 1;
}

/** Milliseconds for a running host to accept a client and to answer `host_status`. */
const LIVE_MS = 5_000;

/** The status of a running host; undefined if it does not answer, for example because it has another protocol version. */
async function liveStatus(
  ctx: DaemonContext,
  daemon: Daemon | undefined,
  limitMs: number,
): Promise<HostStatus | undefined> {
  const address = daemon?.state?.addresses.find(({ transport }) => transport === "socket")?.address;
  if (address === undefined) return undefined;
  const times = { welcome: limitMs, answer: limitMs };
  const client = await dialHost(ctx, address, { name: "status", reconnect: false, times }).catch(() => undefined);
  try {
    const status = await client?.request("host_status", {});
    return status && { ...status, clients: status.clients.filter(({ clientId }) => clientId !== client?.clientId) };
  } catch {
    return undefined;
  } finally {
    await client?.close();
  }
}

function statusText({ pid, since, state }: Daemon, live: HostStatus | undefined): string {
  if (!state) return `A host is starting (process ${pid}, since ${since}).\n`;
  const { version, preset, startedAt, addresses } = state;
  const lines = [
    `A host runs: Scorel ${version}, preset ${preset}, process ${pid}, up ${timeSpan(Date.now() - startedAt)}`,
  ];
  if (live) {
    const { open, running, waiting } = live.sessions;
    const turns = `${running} with a running turn${waiting === 0 ? "" : `, ${waiting} of them waiting`}`;
    lines.push(`sessions: ${open} open${open === 0 ? "" : `, ${turns}`}`, `clients: ${clientsText(live.clients)}`);
  } else lines.push("It does not answer. `scorel host logs` shows what it printed.");
  return `${lines.join("\n")}\n${addressLines(addresses)}`;
}

function clientsText(clients: HostStatus["clients"]): string {
  if (clients.length === 0) return "none";
  const named = ({ name, transport, scopes = [], connected }: HostStatus["clients"][number]) =>
    `${lineOf(name ?? transport)} (${[transport, scopes.map(lineOf).join("+"), connected ? "" : "away"].filter(Boolean).map(lineOf).join(", ")})`;
  return clients.map(named).join(", ");
}

/** `scorel host stop` */
export async function stopCommand({ stdout }: Invocation): Promise<number> {
  const stopped = await stopDaemon();
  stdout.write(stopped ? `The host (process ${stopped.pid}) has stopped.\n` : "No host was running.\n");
  return 0;
}

/** `scorel host logs` */
export function logsCommand({ options, stdout }: Invocation): number {
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 1) throw errors.DAEMON_LINES({ value: String(options.lines) });
  const log = readLog();
  if (log === "") throw errors.DAEMON_NO_LOG({ path: logFile() });
  const lines = plainText(log).replace(/\n$/, "").split("\n");
  stdout.write(`${lines.slice(-count).join("\n")}\n`);
  return 0;
}
