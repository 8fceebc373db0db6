import type { BaseContext } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { RepeatedCall } from "./calls.ts";
import { placeInFiles } from "./stack.ts";
import { STRIKES, Strikes } from "./strikes.ts";

type Listener = Parameters<BaseContext["subscribe"]>[0];

/** Where an extension comes from. */
export interface Origin {
  /** The path in messages. */
  path: string;
  /** The file that runs, as in stack traces. */
  file?: string;
  /** Throws if an object lacks a member of the service's contract. */
  checkService?(name: string, service: unknown): void;
}

/** The kernel that runs an extension. */
export interface Kernel {
  sessionId: string;
  report(where: string, thrown: unknown): void;
}

/** The state of one extension in one kernel. */
export class ContainedPlugin {
  readonly id: string;
  readonly origin: Origin;
  /** The extension's calls with a promise that has not settled. */
  readonly settling = new Set<RepeatedCall>();
  /** The hooks on which the extension has critical layers. */
  readonly guarded = new Set<string>();
  /** Whether the extension was started and not stopped again. */
  isRunning = false;
  protected kernel: Kernel | undefined;
  private strikes = new Strikes();

  constructor(id: string, origin: Origin) {
    this.id = id;
    this.origin = origin;
  }

  get sessionId(): string | undefined {
    return this.kernel?.sessionId;
  }

  /** Resets the state of an earlier run when the extension is started again. */
  forgetEarlierRun(): void {
    this.strikes = new Strikes();
    this.guarded.clear();
  }

  run<T>(where: string, work: () => T): T {
    return this.call(where).run(work);
  }

  /** Creates the call of a function of the extension, for any number of runs. */
  call(where: string): RepeatedCall {
    return new RepeatedCall({ plugin: this.id, where, sessionId: this.sessionId ?? "" }, this.settling);
  }

  isOff(part: object | string): boolean {
    return this.strikes.isOff(part);
  }

  failed(part: object | string, where: string): void {
    if (!this.strikes.count(part)) return;
    const shown = typeof part === "string" ? where : (where.split(" ", 1)[0] as string);
    this.report(shown, errors.PLUGIN_SWITCHED_OFF({ plugin: this.id, where: shown, failures: STRIKES }));
  }

  report(where: string, thrown: unknown): void {
    this.kernel?.report(where, thrown);
  }

  thrownAt(thrown: unknown): string | undefined {
    return this.placeIn(thrown) ?? (this.origin.file === undefined ? undefined : this.origin.path);
  }

  /** Whether the stack of the thrown value names a file of the extension. */
  threw(thrown: unknown): boolean {
    return this.placeIn(thrown) !== undefined;
  }

  private placeIn(thrown: unknown): string | undefined {
    const { path, file } = this.origin;
    return file === undefined ? undefined : placeInFiles(thrown, { path, file });
  }

  /** Wraps a listener of the extension; it is not called after it was switched off. */
  listener(listen: Listener): Listener {
    const contained: Listener = (event) =>
      this.isOff(contained) ? undefined : this.run(`onEvent ${event.type}`, () => listen(event));
    return contained;
  }
}
