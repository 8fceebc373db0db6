import type { BaseContext } from "./plugin.ts";

/** The wrapper around a plugin that may be faulty, such as a user's extension. It counts the plugin's failures. */
export interface Containment {
  /** A kernel is about to start the plugin: from now on its failures can be reported there, whether it starts or not. */
  began(sessionId: string, report: (where: string, thrown: unknown) => void): void;
  /** Makes the context that the plugin gets from the one that it would get otherwise. */
  context(context: BaseContext): BaseContext;
  /** Runs `work`, which calls a function of the plugin. */
  run<T>(where: string, work: () => T): T;
  /** Whether what was contributed under this name has failed too often to be called again. */
  isOff(where: string): boolean;
  /** Hears of a reported failure; `what` is the function that failed, or the name of what was contributed. */
  failed(what: object | string, where: string): void;
  /** Where in the plugin's files something was thrown: `file:line`, or the file. */
  thrownAt(thrown: unknown): string | undefined;
  /** The kernel has stopped: nothing more is reported to it. */
  ended(): void;
}

export class Copied {
  readonly copy: unknown;
  readonly answer: unknown;
  constructor(copy: unknown, answer: unknown) {
    this.copy = copy;
    this.answer = answer;
  }
}
/** Returned by a layer that was given a copy of its input: the copy takes the input's place, with what was changed in it. */
export function withCopy(copy: unknown, answer: unknown): unknown {
  return new Copied(copy, answer);
}
