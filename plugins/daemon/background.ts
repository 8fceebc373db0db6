import { spawn } from "node:child_process";
import { closeSync, fstatSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Invocation } from "@scorel/cli/contract";
import { messageOf } from "@scorel/kernel";
import { userHome } from "@scorel/kit/files/home";
import { writingTo } from "@scorel/kit/files/room";
import { withoutInherited } from "@scorel/kit/process/inherited";
import { plainText } from "@scorel/kit/text/plain";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";
import { openLog, readLog } from "./log-file.ts";
import { logFile } from "./run-folder.ts";
import { type DaemonState, findDaemon } from "./state.ts";

const LIMIT_MS = 20_000;
const LOOK_MS = 20;
/** The environment variable that tells a host that a command has started it, not a person or a service manager. */
export const BACKGROUND = "SCOREL_HOST_BACKGROUND";

/**
 * Starts a host in a separate process, which outlives this one, and waits until it can be reached. Throws DAEMON_START and ends the process
 * if that takes longer than `limitMs`.
 */
export async function startInBackground(
  { env }: Pick<Invocation, "env">,
  words: readonly string[],
  limitMs = LIMIT_MS,
): Promise<DaemonState> {
  const log = openLog();
  const from = fstatSync(log).size;
  const [node, script] = [process.execPath, process.argv[1] as string];
  // The host outlives whoever waits for the end of a pipe that it would inherit.
  const child = withoutInherited(["ignore", log, log], (stdio) =>
    spawn(node, [...process.execArgv, script, "host", "serve", "--foreground", ...words], {
      cwd: userHome(),
      env: { ...env, [BACKGROUND]: "1" },
      detached: true,
      stdio,
    }),
  );
  closeSync(log);
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  child.once("error", () => {
    ended = true;
  });
  child.unref();
  for (const until = Date.now() + limitMs; Date.now() < until && !ended; await sleep(LOOK_MS)) {
    const state = findDaemon()?.state;
    if (state && state.pid === child.pid) return state;
  }
  // Otherwise a host of which nobody knows would be there later.
  const isLate = !ended && child.kill();
  const late = isLate ? `It was not ready after ${limitMs / 1_000} s, and was ended.` : "";
  const output = [plainText(readLog(from)).trim() || logProblem(), late].filter((text) => text !== "").join("\n");
  throw errors.DAEMON_START({ log: logFile(), output: output.replace(/^scorel: \w+: /, "") });
}

/** Tries to write to the log of a host that has ended with an empty log. Returns the error if that fails, else "". */
function logProblem(): string {
  try {
    const log = openLog();
    try {
      writingTo(logFile(), () => writeSync(log, "The host ended without a word.\n"));
    } finally {
      closeSync(log);
    }
    return "";
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The words of this command line that are passed on to the host in the background. */
export function wordsOf(
  ctx: DaemonContext,
  { foreground: _f, replace: _r, ...options }: Invocation["options"],
): string[] {
  const { preset } = ctx.launch;
  const words = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return typeof value === "string" ? [flag, value] : [];
  });
  return preset === undefined || words.includes("--preset") ? words : ["--preset", preset, ...words];
}
