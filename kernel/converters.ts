import { errors } from "./errors.ts";
import type { Failures } from "./failures.ts";
import type { Registry } from "./registry.ts";
import type { AnyEvent, ConvertContext, DisplayAction, LlmAction, StoredEvent } from "./types.ts";

interface ConvertersOptions {
  registry: Registry;
  lookup: ConvertContext;
  failures: Failures;
}

/** Calls the converters that plugins registered for their event types. If one fails, it is reported and a default is used. */
export class Converters {
  private readonly options: ConvertersOptions;

  constructor(options: ConvertersOptions) {
    this.options = options;
  }

  /** The functions that build a context from events, with the services and event types that are loaded now. */
  reading() {
    const { registry, lookup } = this.options;
    return {
      toLlm: (event: StoredEvent) =>
        this.convert<LlmAction>(event, "convertToLlm", { action: "skip" }, () => registry.toLlm(event, lookup)),
      convertsAnew: ({ type }: StoredEvent) => registry.convertsAnew(type),
      merge: lookup.find("mergeMessage"),
      version: registry.revision,
    };
  }

  display(event: AnyEvent): DisplayAction {
    const { registry, lookup } = this.options;
    const plain: DisplayAction = { display: "notice", level: "info", text: `[${event.type}]` };
    return this.convert(event, "convertToDisplay", plain, () => registry.toDisplay(event, lookup));
  }

  asListened(event: AnyEvent): AnyEvent {
    const { registry, lookup } = this.options;
    const { toListener } = registry.get(event.type) ?? {};
    if (!toListener) return event;
    return this.convert(event, "toListener", event, () => {
      const extra: unknown = toListener(event, lookup);
      if (typeof extra !== "object" || extra instanceof Promise) throw errors.EVENT_LISTENED({ type: event.type });
      // Fields that are getters stay getters.
      return Object.defineProperties({ ...event }, Object.getOwnPropertyDescriptors(extra ?? {}));
    });
  }

  failed(event: AnyEvent, converter: string, thrown: unknown): void {
    const { registry, failures } = this.options;
    failures.report(registry.owner(event.type) ?? "kernel", `${converter} of ${event.type}`, thrown);
  }

  private convert<T>(event: AnyEvent, converter: string, otherwise: Awaited<T>, work: () => T): T {
    const plugin = this.options.registry.owner(event.type) ?? "kernel";
    return this.options.failures.guard({ plugin, where: `${converter} of ${event.type}`, otherwise }, work);
  }
}
