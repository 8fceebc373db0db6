import { errors } from "./errors.ts";
import type {
  AnyEvent,
  AnyEventDefinition,
  ConvertContext,
  DisplayAction,
  Dispose,
  EventDefinition,
  LlmAction,
  StoredEvent,
  TransientDefinition,
} from "./types.ts";

const ENVELOPE = ["id", "seq", "sessionId", "clientId", "ts", "type", "crc", "nth"] as const;
const STORED_ENVELOPE = [...ENVELOPE, "parentId"] as const;

interface Row {
  plugin: string;
  version: string;
  definition: AnyEventDefinition;
}

/** Which plugin registered which event type, and how the type behaves. A child sees its parent's rows. */
export class Registry {
  private readonly rows = new Map<string, Row>();
  private readonly parent: Registry | undefined;
  private changes = 0;

  constructor(parent?: Registry) {
    this.parent = parent;
  }

  get types(): string[] {
    return [...this.rows.keys()];
  }

  /** Changes whenever a type gains or loses its definition. */
  get revision(): number {
    return this.changes + (this.parent?.revision ?? 0);
  }

  add(plugin: string, type: string, definition: AnyEventDefinition, version = ""): Dispose {
    const owner = this.row(type)?.plugin;
    if (owner !== undefined) throw errors.EVENT_DUPLICATE_TYPE({ type, plugin, owner });
    this.refuseReserved(plugin, type, definition, shapeOf(definition));
    this.rows.set(type, { plugin, version, definition });
    this.changes++;
    return () => {
      this.changes++;
      this.rows.delete(type);
    };
  }

  /** Throws EVENT_RESERVED_KEY when a payload (or its schema's shape) has a field that every event bears. */
  refuseReserved(plugin: string, type: string, { transient }: AnyEventDefinition, fields: object): void {
    for (const key of transient ? ENVELOPE : STORED_ENVELOPE)
      if (key in fields) throw errors.EVENT_RESERVED_KEY({ type, key, plugin });
  }

  /** Who says how events of a type behave; empty for a type nobody registered. */
  signature(type: string): string {
    const row = this.row(type);
    return row ? `${row.plugin}@${row.version}` : "";
  }

  /** Whether a type's `convertToLlm` has to be asked for every context. */
  convertsAnew(type: string): boolean {
    return this.stored(type)?.convertsAnew === true;
  }
  owner(type: string): string | undefined {
    return this.row(type)?.plugin;
  }
  get(type: string): AnyEventDefinition | undefined {
    return this.row(type)?.definition;
  }

  persistent(type: string): EventDefinition {
    const definition = this.known(type);
    if (definition.transient) throw errors.EVENT_TRANSIENT({ type });
    return definition;
  }
  transient(type: string): TransientDefinition {
    const definition = this.known(type);
    if (!definition.transient) throw errors.EVENT_PERSISTENT({ type });
    return definition;
  }

  /** The active leaf after an event. An event of a type that nobody registered counts as a path event. */
  leafAfter(event: StoredEvent, current: string | null): string | null {
    const definition = this.stored(event.type);
    return definition?.leaf ? definition.leaf(event, current) : event.id;
  }

  /** Whether a type's `leaf` has to be asked: never, always, or about records that contain this text. */
  leafReads(type: string): boolean | string {
    const definition = this.stored(type);
    return definition?.leaf ? (definition.leafReads ?? true) : false;
  }

  toLlm(event: StoredEvent, context: ConvertContext): LlmAction {
    const definition = this.stored(event.type);
    return definition?.convertToLlm ? definition.convertToLlm(event, context) : { action: "skip" };
  }

  toDisplay(event: AnyEvent, context: ConvertContext): DisplayAction {
    const definition = this.get(event.type);
    if (definition?.convertToDisplay) return definition.convertToDisplay(event, context);
    if (definition?.transient) return { display: "hidden" };
    return { display: "notice", level: "info", text: `[${event.type}]` };
  }

  private row(type: string): Row | undefined {
    return this.rows.get(type) ?? this.parent?.row(type);
  }

  private stored(type: string): EventDefinition | undefined {
    const definition = this.get(type);
    return definition?.transient ? undefined : definition;
  }

  private known(type: string): AnyEventDefinition {
    const definition = this.get(type);
    if (!definition) throw errors.EVENT_UNKNOWN_TYPE({ type });
    return definition;
  }
}

/** The fields of an object schema; none for other schemas, whose payloads are checked one by one. */
function shapeOf(definition: AnyEventDefinition): object {
  const shape = (definition.schema as { shape?: unknown }).shape;
  return typeof shape === "object" && shape !== null ? shape : {};
}
