import type { Failures } from "../calls/failures.ts";
import { errors } from "../errors.ts";
import type { AnyEvent, ConvertContext, DisplayAction, LlmAction, Services, StoredEvent } from "../types.ts";
import type { Registry } from "./registry.ts";

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

  /** Changes when an event type is added or removed. */
  get version(): number {
    return this.options.registry.revision;
  }

  /** The service that merges text into a message. */
  get merge(): Services["mergeMessage"] | undefined {
    return this.options.lookup.find("mergeMessage");
  }

  /** Whether the event has to be converted again for every context. */
  convertsAnew({ type }: StoredEvent): boolean {
    return this.options.registry.stored(type)?.convertsAnew === true;
  }

  toLlm(event: StoredEvent): LlmAction {
    const { registry, lookup } = this.options;
    const skip: LlmAction = { action: "skip" };
    const definition = registry.stored(event.type);
    const convert = definition?.convertToLlm;
    return convert ? this.attempt(event, "convertToLlm", skip, () => convert.call(definition, event, lookup)) : skip;
  }

  display(event: AnyEvent): DisplayAction {
    const { registry, lookup } = this.options;
    const definition = registry.get(event.type);
    const plain: DisplayAction = { display: "notice", level: "info", text: `[${event.type}]` };
    const convert = definition?.convertToDisplay;
    if (!convert) return definition?.transient ? { display: "hidden" } : plain;
    return this.attempt(event, "convertToDisplay", plain, () => convert.call(definition, event, lookup));
  }

  asListened(event: AnyEvent): AnyEvent {
    const { registry, lookup } = this.options;
    const { toListener } = registry.get(event.type) ?? {};
    if (!toListener) return event;
    return this.attempt(event, "toListener", event, () => {
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

  private attempt<T>(event: AnyEvent, converter: string, otherwise: Awaited<T>, work: () => T): T {
    const plugin = this.options.registry.owner(event.type) ?? "kernel";
    return this.options.failures.attempt({ plugin, where: `${converter} of ${event.type}`, otherwise }, work);
  }
}
