import type { Invocation } from "@scorel/cli/contract";
import { holderOf, tryLock } from "@scorel/kit/files/lock";
import { inOwnFolder } from "@scorel/kit/files/state-folder";
import { ownIdentity } from "@scorel/kit/process/identity";
import { shellWord } from "@scorel/kit/text/shell-word";
import { onAbort } from "@scorel/kit/values/abort";
import { BACKGROUND, wordsOf } from "./background.ts";
import type { DaemonContext } from "./context.ts";
import type { HostStatus } from "./contract.ts";
import { elsewhereText, heldElsewhere } from "./elsewhere.ts";
import { errors } from "./errors.ts";
import { Keeper } from "./keeper.ts";
import { forgetOwner, nameOwner, removeLeftSockets } from "./left-sockets.ts";
import { Listeners } from "./listeners.ts";
import { lockFile, removeSocketOf, runFolder, socketOf } from "./run-folder.ts";
import { addressLines, isElsewhere, removeState, writeState } from "./state.ts";
import { stopDaemon } from "./stop.ts";

/** Milliseconds for running turns to end when the host stops. */
const TURNS_MS = 10_000;

/** A running daemon, until it is ended. */
export interface Serving {
  /** Resolves when the host has to end: it was unused for a while, or a client has requested it. */
  over: Promise<unknown>;
  status(): HostStatus;
  /**
   * Why the host is not idle: a turn or something in the background runs, or clients other than this one are connected. Undefined if it is
   * idle.
   */
  usedBy(clientId: string): Promise<string | undefined>;
  /** Closes the unused sessions below a folder. */
  closeIn(folder: string): Promise<void>;
  /** Opens a port for the web page, if there is none. Resolves with its address. */
  openPort(port: number): Promise<string>;
  /** Ends the host a moment later, so that the client that asks for it gets its answer first. */
  stop(): void;
  end(): Promise<void>;
}

/** Runs the host in this process until it is interrupted, or idle for long. */
export async function serve(ctx: DaemonContext, invocation: Invocation, set: (serving: Serving) => void) {
  const { options, interrupt, stdout } = invocation;
  inOwnFolder(runFolder(), () => {});
  if (options.replace === true) await stopDaemon();
  const serving = await begin(ctx, invocation);
  set(serving);
  stdout.write(addressLines(serving.addresses));
  // A command that has started this host in the background prints it itself.
  if (invocation.env[BACKGROUND] !== "1") stdout.write(elsewhereText(heldElsewhere(ctx, process.pid)));
  // It may have been interrupted while it started.
  const interrupted = new Promise<void>((resolve) => void onAbort(interrupt, resolve));
  await Promise.race([serving.over, interrupted]);
  await serving.end();
  return 0;
}

/** Takes the lock of the home's daemon. Throws if another host has it. */
function takeLock() {
  const lock = tryLock(lockFile());
  if (!lock) throw errors.DAEMON_RUNNING({ pid: 0, since: "a moment ago" });
  if ("release" in lock) return lock;
  const { pid, since, machine } = lock;
  throw isElsewhere(lock)
    ? errors.DAEMON_ELSEWHERE({ machine, pid, path: lockFile() })
    : errors.DAEMON_RUNNING({ pid, since });
}

/** Says what uses the host: running turns, or these clients. Undefined if nothing does. */
function useOf(
  running: number,
  hasBackground: boolean,
  clients: readonly { name?: string | undefined; transport: string }[],
) {
  if (running > 0) return running === 1 ? "a turn runs in it" : `${running} turns run in it`;
  if (clients.length === 0) return hasBackground ? "something runs in its background" : undefined;
  return `${[...new Set(clients.map(({ name, transport }) => name ?? transport))].join(", ")} still uses it`;
}

/** A host that other processes can reach. */
interface Open {
  listeners: Listeners;
  about: Omit<HostStatus, "clients" | "sessions">;
  /** Saves the state of the host, with the options that a host that replaces it would be started with. */
  save(options: Invocation["options"]): void;
  close(): Promise<void>;
}

/** Takes the lock, listens, and saves the state of the host. */
async function open(ctx: DaemonContext, { options, env }: Invocation): Promise<Open> {
  const former = holderOf(lockFile());
  const lock = takeLock();
  const listeners = new Listeners(ctx.collect("transports").flatMap(({ value }) => value));
  const close = async () => {
    await listeners.close();
    forgetOwner(ownIdentity());
    if (lock.holds()) removeState();
    lock.release();
  };
  try {
    nameOwner(ownIdentity());
    await listeners.begin({ ...options, socket: socketOf(ownIdentity()) });
    // By now it is checked that the folder is private.
    if (former) removeSocketOf(former);
    removeLeftSockets((thrown) => ctx.logger.warn("Sockets of ended processes stay", thrown));
    const { version, preset = "coding" } = ctx.launch;
    const nonce = holderOf(lockFile())?.nonce ?? "";
    const { addresses } = listeners;
    const about = { pid: process.pid, version, preset, startedAt: Date.now(), addresses };
    const background = env[BACKGROUND] === "1";
    delete process.env[BACKGROUND];
    const save: Open["save"] = (given) => {
      const words = wordsOf(ctx, given);
      writeState({ ...about, nonce, background, words });
      const restart = ["scorel host serve --replace", ...words.map(shellWord)].join(" ");
      ctx.launch.served = { pid: process.pid, restart };
    };
    save(options);
    return { listeners, about, save, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Ends the host: turns may end first, and clients are told. */
async function endHost(ctx: DaemonContext, { listeners, close }: Open, keeper: Keeper): Promise<void> {
  removeState();
  listeners.refuse();
  await keeper.attendAll();
  // Otherwise a question that was just withdrawn would stay on the clients' screens until they reach the next host.
  await ctx.gateway.flush();
  await ctx.gateway.dismiss("the host stops", true);
  await keeper.quiet(TURNS_MS);
  await keeper.end();
  await close();
}

async function begin(ctx: DaemonContext, invocation: Invocation): Promise<Serving & Pick<HostStatus, "addresses">> {
  const { options } = invocation;
  const opened = await open(ctx, invocation);
  const { listeners, about, save } = opened;
  const keeper = new Keeper(ctx.host, { idleMs: ctx.config.idleMinutes * 60_000, logger: ctx.logger });
  await keeper.start();
  let stop = () => {};
  const asked = new Promise<void>((resolve) => {
    // After a moment, so that the client gets its answer before.
    stop = () => void setTimeout(resolve, 50);
  });
  const isExpecting = () => ctx.collect("transports").some(({ value }) => value.some((each) => each.isExpecting?.()));
  const idle = keeper.whenUnused(() => ctx.gateway.clients().length > 0 || isExpecting());
  let ending: Promise<void> | undefined;
  return {
    addresses: about.addresses,
    over: Promise.race([idle, asked]),
    status: () => ({ ...about, clients: ctx.gateway.clients(), sessions: keeper.counts }),
    usedBy: async (clientId) => {
      const hasBackground = await keeper.hasBackground();
      return useOf(
        keeper.counts.running,
        hasBackground,
        ctx.gateway.clients().filter((client) => client.clientId !== clientId && client.connected),
      );
    },
    closeIn: (folder) => keeper.closeIn(folder),
    // Saved in the state, so that a host that replaces this one listens there, too.
    openPort: (port) => listeners.openPort(String(port), () => save({ ...options, port: String(port) })),
    stop,
    end: () => {
      ending ??= endHost(ctx, opened, keeper);
      return ending;
    },
  };
}
