import { existsSync } from "node:fs";
import type { Invocation } from "@scorel/cli/contract";
import { readText } from "@scorel/kit/files/open";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";
import { logFile } from "./run-folder.ts";
import { type Serving, serve } from "./serve.ts";
import { addressLines, findDaemon } from "./state.ts";
import { stopDaemon } from "./stop.ts";

/** `scorel host serve` */
export async function serveCommand(ctx: DaemonContext, asked: Invocation, set: (serving: Serving) => void) {
  const { withConsent } = await import("./consent.ts");
  const options = await withConsent(ctx, asked);
  const invocation = { ...asked, options };
  const { stdout } = asked;
  if (options.foreground === true) return serve(ctx, invocation, set);
  if (options.replace === true) await stopDaemon();
  const running = findDaemon();
  if (running) throw errors.DAEMON_RUNNING(running);
  const { startInBackground } = await import("./background.ts");
  const state = await startInBackground(invocation, wordsOf(ctx, options));
  stdout.write(`The host runs now (process ${state.pid}).\n${addressLines(state.addresses)}`);
  return 0;
}

/** `scorel host status` */
export async function statusCommand({ options, stdout }: Invocation): Promise<number> {
  const daemon = findDaemon();
  if (options.json === true) {
    stdout.write(`${JSON.stringify(daemon ? { running: true, ...daemon } : { running: false }, null, 2)}\n`);
    return daemon ? 0 : 1;
  }
  if (!daemon) {
    stdout.write(`${errors.DAEMON_NONE().message}\n`);
    return 1;
  }
  const { pid, since, state } = daemon;
  stdout.write(
    `A host runs since ${since} (process ${pid}${state ? `, Scorel ${state.version}, preset ${state.preset}` : ", starting"}).\n`,
  );
  if (state) stdout.write(addressLines(state.addresses));
  return 0;
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
  const lines = existsSync(logFile()) ? readText(logFile()).split("\n").slice(0, -1) : [];
  const last = lines.slice(-count);
  stdout.write(last.map((line) => `${line}\n`).join(""));
  return 0;
}

/** The words of the command line that the host in the background gets, too. */
function wordsOf(ctx: DaemonContext, { foreground: _f, replace: _r, ...options }: Invocation["options"]): string[] {
  const { preset } = ctx.launch;
  const words = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return typeof value === "string" ? [flag, value] : [];
  });
  return preset === undefined || words.includes("--preset") ? words : ["--preset", preset, ...words];
}
