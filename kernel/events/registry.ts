import { errors } from "../errors.ts";
import type { AnyEventDefinition, Dispose, EventDefinition, StoredEvent, TransientDefinition } from "../types.ts";

const ENVELOPE = ["id", "seq", "sessionId", "clientId", "ts", "type", "crc", "nth"] as const;
const STORED_ENVELOPE = [...ENVELOPE, "parentId"] as const;

interface Row {
  plugin: string;
  version: string;
  definition: AnyEventDefinition;
}

/** The registered event types, with their plugins and definitions. A child registry includes its parent's types. */
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

  /** A number that changes whenever an event type is added or removed. */
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

  /** Throws EVENT_RESERVED_KEY if a payload, or the shape of its schema, has a field of the envelope. */
  refuseReserved(plugin: string, type: string, { transient }: AnyEventDefinition, fields: object): void {
    for (const key of transient ? ENVELOPE : STORED_ENVELOPE)
      if (key in fields) throw errors.EVENT_RESERVED_KEY({ type, key, plugin });
  }

  /** The plugin and version that define a type, or an empty string if no plugin registered it. */
  signature(type: string): string {
    const row = this.row(type);
    return row ? `${row.plugin}@${row.version}` : "";
  }

  owner(type: string): string | undefined {
    return this.row(type)?.plugin;
  }
  get(type: string): AnyEventDefinition | undefined {
    return this.row(type)?.definition;
  }

  /** The definition of a type of persistent event, if it is registered. */
  stored(type: string): EventDefinition | undefined {
    const definition = this.get(type);
    return definition?.transient ? undefined : definition;
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

  /** The active leaf after an event. An event of an unregistered type counts as a path event. */
  leafAfter(event: StoredEvent, current: string | null): string | null {
    const definition = this.stored(event.type);
    return definition?.leaf ? definition.leaf(event, current) : event.id;
  }

  /** Whether to call `leaf` of a type when a log is opened: never, always, or for records that contain this text. */
  leafReads(type: string): boolean | string {
    const definition = this.stored(type);
    return definition?.leaf ? (definition.leafReads ?? true) : false;
  }

  private row(type: string): Row | undefined {
    return this.rows.get(type) ?? this.parent?.row(type);
  }

  private known(type: string): AnyEventDefinition {
    const definition = this.get(type);
    if (!definition) throw errors.EVENT_UNKNOWN_TYPE({ type });
    return definition;
  }
}

/** The fields of an object schema, or no fields for other schemas, whose payloads are checked when they are appended. */
function shapeOf(definition: AnyEventDefinition): object {
  const shape = (definition.schema as { shape?: unknown }).shape;
  return typeof shape === "object" && shape !== null ? shape : {};
}
