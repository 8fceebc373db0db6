import { callingExtension } from "./owners.ts";

/** Maximum stack frames to search, enough for a call from a helper of the extension. */
const FRAMES = 8;
/** Above this number, ended entries are removed from the list. */
const MANY = 100;

interface Begun {
  id: string;
  /** For messages: `setInterval (wild.ts:3)`. */
  what: string;
  isOver(): boolean;
  stop(): void;
}
let begun: Begun[] = [];
/** How many sessions run an extension, by its id. */
const running = new Map<string, number>();

/** Records the repeating timers and process listeners that extensions start, so that leftover ones can be stopped. */
export function watchLeftovers(): void {
  const { setInterval: repeat } = globalThis;
  const watched = (...given: Parameters<typeof repeat>) => {
    const timer = repeat(...given);
    const isOver = () => (timer as unknown as { _destroyed: boolean })._destroyed;
    remember("setInterval", { isOver, stop: () => clearInterval(timer) });
    return timer;
  };
  Object.assign(globalThis, { setInterval: watched });
  for (const name of ["on", "addListener", "once", "prependListener"] as const) watchListening(name);
}

type Listener = (...given: unknown[]) => void;

function watchListening(name: "on" | "addListener" | "once" | "prependListener"): void {
  const listen = process[name] as (event: string | symbol, listener: Listener) => NodeJS.Process;
  const watched = (event: string | symbol, listener: Listener): NodeJS.Process => {
    remember(`process.${name}("${String(event)}")`, {
      isOver: () => !process.listeners(event as "exit").includes(listener as never),
      stop: () => void process.off(event, listener),
    });
    return listen.call(process, event, listener);
  };
  Object.assign(process, { [name]: watched });
}

function remember(kind: string, work: Pick<Begun, "isOver" | "stop">): void {
  const caller = callingExtension(FRAMES);
  if (!caller) return;
  if (begun.length >= MANY) begun = begun.filter(({ isOver }) => !isOver());
  begun.push({ id: caller.id, what: `${kind} (${caller.at})`, ...work });
}

/**
 * Counts a session that runs an extension. Call the returned function when the session ends: after the last one it stops
 * leftover timers and listeners and returns their descriptions.
 */
export function beginRunning(id: string): () => string[] {
  running.set(id, (running.get(id) ?? 0) + 1);
  return () => {
    const others = (running.get(id) ?? 1) - 1;
    running.set(id, others);
    // A timer may belong to another session that still runs the extension.
    return others > 0 ? [] : stopLeft(id);
  };
}

function stopLeft(id: string): string[] {
  const left = begun.filter((each) => each.id === id && !each.isOver());
  begun = begun.filter((each) => each.id !== id);
  for (const { stop } of left) stop();
  return left.map(({ what }) => what);
}
