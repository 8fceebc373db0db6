import { connect } from "node:net";
import type { Invocation } from "@scorel/cli/contract";
import { codeOf } from "@scorel/kernel";
import { inStateFolder, type StateFolder } from "@scorel/kit/files/state-folder";
import { agrees } from "@scorel/kit/terminal/answer";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";
import { leftOwners } from "./left-sockets.ts";
import { leftNames } from "./own-name.ts";
import { logFile, runFolder } from "./run-folder.ts";
import { findDaemon } from "./state.ts";
import { stopDaemon } from "./stop.ts";

/** One step of a reset, with its description for the user. */
interface Step {
  what: string;
  run(): unknown;
}

/** `scorel host reset`: prints the steps, asks the user, and carries them out. Sessions, settings and keys stay. */
export async function resetCommand(ctx: DaemonContext, invocation: Invocation): Promise<number> {
  const { options, stdin, stdout } = invocation;
  const steps = await stepsOf(ctx);
  if (steps.length === 0) {
    stdout.write("There is nothing to reset: no host runs, and none has left anything behind.\n");
    return 0;
  }
  stdout.write(`This will\n${steps.map(({ what }) => `- ${what}\n`).join("")}Sessions, settings and keys stay.\n`);
  if (options.yes !== true) {
    const isAsked = stdin.isTTY === true && stdout.isTTY === true;
    if (!isAsked || !(await agrees("Go on? [y/N] ", invocation))) throw errors.DAEMON_RESET();
  }
  for (const { run } of steps) await run();
  stdout.write("Done. `scorel host serve` starts a new host.\n");
  return 0;
}

async function stepsOf(ctx: DaemonContext): Promise<Step[]> {
  const steps: Step[] = [];
  const daemon = findDaemon();
  if (daemon) {
    const what = `stop the host (process ${daemon.pid}); running turns get 10 s, and queued messages stay`;
    steps.push({ what, run: stopDaemon });
  }
  const left = (await inStateFolder(runFolder(), leftovers)) ?? [];
  if (left.length > 0) {
    const isLog = left.length === 1 && left[0] === "host.log";
    const others = `${left.length === 1 ? left[0] : `${left.length} files`} in ${runFolder()}: the log and what ended processes have left`;
    const what = `delete ${isLog ? `the host's log, ${logFile()}` : others}`;
    // Searched once more, since the stopped host has removed its own files.
    steps.push({
      what,
      run: async () => {
        await inStateFolder(runFolder(), async (folder) => {
          for (const name of await leftovers(folder)) folder.remove(name);
        });
      },
    });
  }
  for (const transport of ctx.collect("transports").flatMap(({ value }) => value)) {
    const kept = await transport.kept?.();
    if (kept) steps.push({ what: `delete ${kept.what}`, run: kept.clear });
  }
  return steps;
}

/** The names of the files in the run folder that no running process needs, apart from those of the host that is about to be stopped. */
async function leftovers(folder: StateFolder): Promise<string[]> {
  const names = folder.names();
  const isRunning = findDaemon() !== undefined;
  const ofHost = names.filter((name) => name === "host.log" || (!isRunning && /^host\.(?:json|lock)/.test(name)));
  const sockets = names.filter((name) => name.endsWith(".sock"));
  const dead = await Promise.all(sockets.map((name) => isDead(folder.at(name))));
  return [...ofHost, ...sockets.filter((_, index) => dead[index]), ...leftOwners(), ...leftNames(folder)];
}

/** Whether no process listens at a socket. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (thrown) => resolve(codeOf(thrown) === "ECONNREFUSED"));
  });
}
