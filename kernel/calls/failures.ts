import { codeOf, messageOf, ScorelError } from "@scorel/kit/values/coded-error";
import { within } from "@scorel/kit/values/within";
import type { Attempt } from "../base-context.ts";
import { errors } from "../errors.ts";
import type { Failure, KernelEntry } from "../kernel.ts";
import type { Logger } from "../types.ts";

/** Maximum failures announced as events, per plugin and place. Later ones are only logged. */
const ANNOUNCED = 3;
/** Maximum failures kept in `list`. */
const KEPT = 1_000;
/** Maximum lines in the host's log file, per plugin and place. */
const LOGGED = 100;
/** Default time limit in milliseconds for a plugin's function that others wait for. */
const ATTEMPT_LIMIT_MS = 10_000;

/** The message of a failure without the plugin's name and origin, which are shown beside it. */
function messageWithoutPlugin(plugin: string, thrown: unknown): string {
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
  redact(text: string): string;
  entry(plugin: string): KernelEntry | undefined;
  announce(failure: Failure): void;
}

/** Options of a failure report. */
interface ReportOptions {
  /** Logs the failure without announcing it as an event. */
  quietly?: boolean;
  /** The function or place whose failures the containment counts. After the third it is switched off. */
  of?: object | string;
}

/** Collects and reports plugin failures that do not stop the kernel. */
export class Failures {
  readonly list: Failure[] = [];
  private readonly options: FailuresOptions;
  private readonly announced = new Map<string, number>();
  private readonly found = new Set<string>();

  constructor(options: FailuresOptions) {
    this.options = options;
  }

  /** Writes a failure to the host's log file and, unless `quietly`, announces it as an event. */
  report(plugin: string, where: string, thrown: unknown, { quietly = false, of }: ReportOptions = {}): void {
    const contained = this.options.entry(plugin)?.contained;
    const at = contained?.thrownAt(thrown);
    const reason = contained && where !== "" ? messageWithoutPlugin(plugin, thrown) : messageOf(thrown);
    const message = this.options.redact(reason);
    const failure: Failure = { plugin, where, code: codeOf(thrown), message, ...(at && { at }) };
    if (this.list.length < KEPT) this.list.push(failure);
    // Counted separately, so that switching a plugin off is announced even after many failures.
    const key = `${plugin} ${failure.code === "PLUGIN_SWITCHED_OFF" ? "off" : ""} ${where.split(" ", 1)[0]}`;
    const count = (this.announced.get(key) ?? 0) + 1;
    this.announced.set(key, count);
    const what = where === "" ? `Plugin "${plugin}"` : `Plugin "${plugin}" failed in ${where}`;
    if (count <= LOGGED) this.options.logger.warn(`${what}: ${failure.message}`, thrown);
    if (count === LOGGED)
      this.options.logger.warn(`Further failures of plugin "${plugin}" in this place are not logged.`);
    if (!quietly && count <= ANNOUNCED) this.options.announce(failure);
    if (of !== undefined) contained?.failed(of, where);
  }

  /** Reports a mistake only the first time, for checks that run repeatedly, such as those of contributions. */
  reportOnce(plugin: string, where: string, thrown: unknown): void {
    const key = `${plugin} ${where} ${messageOf(thrown)}`;
    if (this.found.has(key)) return;
    this.found.add(key);
    this.report(plugin, where, thrown);
  }

  /** Resets the counts of a plugin, so that its failures are announced again after a restart. */
  forget(plugin: string): void {
    for (const key of this.announced.keys()) if (key.startsWith(`${plugin} `)) this.announced.delete(key);
    for (const key of this.found) if (key.startsWith(`${plugin} `)) this.found.delete(key);
  }

  /** Returns the result of `work`, or `otherwise` if it fails, takes too long, or has failed too often. */
  attempt<T>(
    { plugin, where, otherwise, containedOnly, staysOn, limit = ATTEMPT_LIMIT_MS }: Attempt<T>,
    work: () => T,
  ): T {
    const contained = this.options.entry(plugin)?.contained;
    if (contained?.isOff(where)) return otherwise as T;
    const failed = (thrown: unknown) => {
      if (contained || !containedOnly) this.report(plugin, where, thrown, staysOn ? {} : { of: where });
      return otherwise as Awaited<T>;
    };
    try {
      const result = contained ? contained.run(where, work) : work();
      if (!(result instanceof Promise)) return result;
      if (limit === false) return result.catch(failed) as T;
      return within(limit, result, () => errors.PLUGIN_LIMIT({ plugin, where, limit })).catch(failed) as T;
    } catch (thrown) {
      return failed(thrown) as T;
    }
  }
}
