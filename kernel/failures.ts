import { dirname } from "node:path";
import { STRIKES } from "./chain.ts";
import { codeOf, errors, messageOf, ScorelError } from "./errors.ts";
import type { Failure, KernelEntry } from "./kernel.ts";
import { placeOf } from "./place.ts";
import type { Guarded } from "./plugin.ts";
import type { Logger } from "./types.ts";
import { within } from "./within.ts";

/** Failures are announced this often per plugin and place; later ones are only logged. */
const ANNOUNCED = 3;
const KEPT = 1_000;
/** Lines of the host's log file per plugin and place. */
const LOGGED = 100;
/** Milliseconds that something of a plugin may take which others wait for. */
const GUARD_LIMIT_MS = 10_000;

/** A failure's message as it reads after the plugin, the place and before the file, none of which it repeats. */
function inItsPlace(plugin: string, thrown: unknown): string {
  const message =
    codeOf(thrown) === "PLUGIN_FAILED" && thrown instanceof ScorelError && thrown.data.plugin === plugin
      ? String(thrown.data.reason)
      : messageOf(thrown);
  const named = `Plugin "${plugin}" `;
  if (!message.startsWith(named)) return message;
  return `it ${message.slice(named.length).replace(/^\([^()\n]*\) /, "")}`;
}

interface FailuresOptions {
  logger: Logger;
  entry(plugin: string): KernelEntry | undefined;
  announce(failure: Failure): void;
}

/** What went wrong in plugins without harming anybody else, and what that has switched off. */
export class Failures {
  readonly list: Failure[] = [];
  private readonly options: FailuresOptions;
  private readonly announced = new Map<string, number>();
  private readonly strikes = new Map<string, number>();
  private readonly found = new Set<string>();
  private named = 0;

  constructor(options: FailuresOptions) {
    this.options = options;
  }

  /** Names a failure in the log file of the host and, unless `quietly`, as an event. */
  report(plugin: string, where: string, thrown: unknown, quietly = false): void {
    const at = this.placeOf(plugin, thrown);
    const message = at === undefined || where === "" ? messageOf(thrown) : inItsPlace(plugin, thrown);
    const failure: Failure = { plugin, where, code: codeOf(thrown), message, ...(at && { at }) };
    if (this.list.length < KEPT) this.list.push(failure);
    // That something is off is told however often its failures were.
    const key = `${plugin} ${failure.code === "PLUGIN_SWITCHED_OFF" ? "off" : ""} ${where.split(" ", 1)[0]}`;
    const count = (this.announced.get(key) ?? 0) + 1;
    this.announced.set(key, count);
    const what = where === "" ? `Plugin "${plugin}"` : `Plugin "${plugin}" failed in ${where}`;
    if (count <= LOGGED) this.options.logger.warn(`${what}: ${failure.message}`, thrown);
    if (count === LOGGED)
      this.options.logger.warn(`Further failures of plugin "${plugin}" there are not written down.`);
    if (!quietly && count <= ANNOUNCED) this.options.announce(failure);
  }

  /** Names a mistake that is found again at each look, such as a contribution of the wrong shape. */
  reportOnce(plugin: string, where: string, thrown: unknown): void {
    const key = `${plugin} ${where} ${messageOf(thrown)}`;
    if (this.found.has(key)) return;
    this.found.add(key);
    this.report(plugin, where, thrown);
  }

  /** A user's own plugin; built-ins are never switched off for failing. */
  isExpendable(plugin: string): boolean {
    return this.options.entry(plugin)?.optional === true;
  }

  /** A key of its own for one of several things in the same place. */
  key(where: string): string {
    return `${where} ${++this.named}`;
  }

  /** Counts a failure of what a key names; `true` at the one that switches it off, which is told of `where`. */
  strike(plugin: string, key: string, where = key.split(" ", 1)[0] as string): boolean {
    const failures = (this.strikes.get(`${plugin} ${key}`) ?? 0) + 1;
    this.strikes.set(`${plugin} ${key}`, failures);
    if (failures !== STRIKES || !this.isExpendable(plugin)) return false;
    this.report(plugin, where, errors.PLUGIN_SWITCHED_OFF({ plugin, where, failures }));
    return true;
  }

  isOff(plugin: string, key: string): boolean {
    if (this.strikes.size === 0) return false;
    return (this.strikes.get(`${plugin} ${key}`) ?? 0) >= STRIKES && this.isExpendable(plugin);
  }

  /** A plugin that is started anew begins without strikes. */
  forget(plugin: string): void {
    for (const counts of [this.strikes, this.announced])
      for (const key of counts.keys()) if (key.startsWith(`${plugin} `)) counts.delete(key);
    for (const key of this.found) if (key.startsWith(`${plugin} `)) this.found.delete(key);
  }

  /** What `work` answers, or `otherwise` when it fails, takes too long, or has failed too often. */
  guard<T>({ plugin, where, otherwise, ownOnly, limit = GUARD_LIMIT_MS }: Guarded<T>, work: () => T): T {
    if (this.isOff(plugin, where)) return otherwise as T;
    const failed = (thrown: unknown) => {
      if (ownOnly && !this.isExpendable(plugin)) return otherwise as Awaited<T>;
      this.report(plugin, where, thrown);
      this.strike(plugin, where, where);
      return otherwise as Awaited<T>;
    };
    try {
      const answer = work();
      if (!(answer instanceof Promise)) return answer;
      return within(limit, answer, () => errors.PLUGIN_LIMIT({ plugin, where, limit })).catch(failed) as T;
    } catch (thrown) {
      return failed(thrown) as T;
    }
  }

  /** `work` as something that harms nobody: its failures are reported, and the third is its last. */
  isolate<A extends unknown[]>(
    plugin: string,
    where: string,
    work: (...given: A) => unknown,
  ): (...given: A) => Promise<void> {
    const key = this.key(where);
    return async (...given) => {
      if (this.isOff(plugin, key)) return;
      try {
        await work(...given);
      } catch (thrown) {
        this.report(plugin, where, thrown);
        this.strike(plugin, key);
      }
    };
  }

  /** A throw without a stack, or a limit that was outlived, names no line; the plugin's file helps all the same. */
  private placeOf(plugin: string, thrown: unknown): string | undefined {
    const entry = this.options.entry(plugin);
    if (!entry?.optional || entry.file === undefined) return undefined;
    // A trusted project's files run from a copy; people know the original.
    return placeOf(thrown, entry.file)?.replace(dirname(entry.file), dirname(entry.origin)) ?? entry.origin;
  }
}
