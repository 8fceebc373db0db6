import type { BaseContext, Listener } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { type Call, runCall } from "./calls.ts";
import { placeInFiles } from "./stack.ts";
import { STRIKES, Strikes } from "./strikes.ts";

/** Where an extension comes from. */
export interface Origin {
  /** As people see it. */
  path: string;
  /** The file that runs, which stacks name. */
  file?: string;
  /** Throws about an object that is not the service as which the extension provides it. */
  checkService?(name: string, service: unknown): void;
}

/** What is known of one extension in one kernel. */
export class ContainedPlugin {
  readonly id: string;
  readonly origin: Origin;
  private strikes = new Strikes();
  private given: BaseContext | undefined;

  constructor(id: string, origin: Origin) {
    this.id = id;
    this.origin = origin;
  }

  get sessionId(): string | undefined {
    return this.given?.session.id;
  }

  /** It is about to start, in the kernel of this context; what it did before is forgotten. */
  begin(context: BaseContext): void {
    this.given = context;
    this.strikes = new Strikes();
  }

  run<T>(where: string, work: () => T): T {
    return runCall(this.call(where), work);
  }

  /** A call of a function of the extension. */
  call(where: string): Call {
    return { plugin: this.id, where, sessionId: this.given?.session.id ?? "" };
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
    this.given?.report(where, thrown);
  }

  thrownAt(thrown: unknown): string | undefined {
    return this.placeIn(thrown) ?? (this.origin.file === undefined ? undefined : this.origin.path);
  }

  /** Whether the extension's files stand in the stack of what was thrown. */
  threw(thrown: unknown): boolean {
    return this.placeIn(thrown) !== undefined;
  }

  private placeIn(thrown: unknown): string | undefined {
    const { path, file } = this.origin;
    return file === undefined ? undefined : placeInFiles(thrown, { path, file });
  }

  /** A listener of the extension. */
  listener(listen: Listener): Listener {
    const contained: Listener = (event) =>
      this.isOff(contained) ? undefined : this.run(`onEvent ${event.type}`, () => listen(event));
    return contained;
  }
}
