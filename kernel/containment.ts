import type { BaseContext } from "./base-context.ts";

/** The wrapper around a plugin that may be faulty, such as a user's extension. It counts the plugin's failures. */
export interface Containment {
  /** Called before a kernel starts the plugin. From then on failures can be reported to that kernel, even if the start fails. */
  began(sessionId: string, report: (where: string, thrown: unknown) => void): void;
  /** Wraps the context that the plugin receives. */
  context(context: BaseContext): BaseContext;
  /** Runs `work`, which calls a function of the plugin. */
  run<T>(where: string, work: () => T): T;
  /** Whether the contribution with this name has failed too often to be called again. */
  isOff(where: string): boolean;
  /** Returns the mistakes in a contribution that its collector ignores. Each is reported once. */
  flaws(name: string, value: unknown): readonly unknown[];
  /** Counts a reported failure. `what` is the failed function, or the name of the failed contribution. */
  failed(what: object | string, where: string): void;
  /** Returns the place in the plugin's files where an error was thrown: `file:line`, or only the file. */
  thrownAt(thrown: unknown): string | undefined;
  /** Called when the kernel has stopped. No more failures are reported to it. */
  ended(): void;
}

/** The result of `withCopy`. */
export class Copied {
  readonly copy: unknown;
  readonly result: unknown;
  constructor(copy: unknown, result: unknown) {
    this.copy = copy;
    this.result = result;
  }
}
/** Returned by a layer that worked on a copy of its input: the copy, with the layer's changes, replaces the input. */
export function withCopy(copy: unknown, result: unknown): unknown {
  return new Copied(copy, result);
}

/**
 * A service can have this member: a table of its members with old names, each with what to use instead
 * (`{ logs: "logs of the service sessionLogs" }`). An extension that uses one gets a notice, once for each name.
 */
export const renamed = Symbol("renamed");
