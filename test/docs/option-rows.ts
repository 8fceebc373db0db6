/** The part of JSON Schema that tables of options need. */
export interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
}

/** One option: a dotted key below its table. */
export interface Option {
  key: string;
  type: string;
  /** The default in TOML syntax, or `required`; empty for an optional option without default. */
  default: string;
  what: string;
}
/** The options of a table, or of one alternative of a table. */
export interface OptionTable {
  /** The value that selects this alternative, such as `type = "custom"`. */
  when?: string;
  options: Option[];
}

/** The tables of a plugin's schema: one, or one for each alternative that a literal value selects. */
export function optionTablesOf(schema: Schema): OptionTable[] {
  const alternatives = schema.oneOf ?? schema.anyOf;
  const { additionalProperties: values } = schema;
  if (typeof values === "object" && !schema.properties) return optionTablesOf(values).map(belowName);
  if (!alternatives) return [{ options: optionsOf(schema, "") }];
  return alternatives.flatMap((alternative) => {
    const chooser = Object.entries(alternative.properties ?? {}).find(([, value]) => value.const !== undefined);
    if (!chooser) return [];
    return [{ when: `${chooser[0]} = ${toml(chooser[1].const)}`, options: optionsOf(alternative, "") }];
  });
}

/** The options of a table of which there may be many, each with a name of its own. */
function belowName({ options, ...table }: OptionTable): OptionTable {
  return { ...table, options: options.map((option) => ({ ...option, key: `<name>.${option.key}` })) };
}

function optionsOf(schema: Schema, prefix: string): Option[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const key = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true && value.default === undefined;
    const inner = optionsOf(value, `${key}.`);
    const elements = value.items ? optionsOf(value.items, `${key}[].`) : [];
    if (inner.length > 0) return inner;
    const own = { key, type: typeOf(value), default: defaultOf(value, isRequired), what: value.description ?? "" };
    return [own, ...elements];
  });
}

function defaultOf(value: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value.default === undefined ? "" : toml(value.default);
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return toml(schema.const);
  if (schema.enum) return schema.enum.map(toml).join(" or ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${schema.items ? typeOf(schema.items) : "anything"}`;
  const { additionalProperties: values } = schema;
  if (schema.type === "object") return typeof values === "object" ? `table of ${typeOf(values)}` : "table";
  return `${schema.type ?? "anything"}${rangeOf(schema)}`;
}

/** The range of numbers that an option allows; limits that only follow from the number type are left out. */
function rangeOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): string {
  const far = (limit: number | undefined) => limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER;
  const parts = [
    far(minimum) ? "" : `≥ ${minimum}`,
    far(exclusiveMinimum) ? "" : `> ${exclusiveMinimum}`,
    far(maximum) ? "" : `≤ ${maximum}`,
    far(exclusiveMaximum) ? "" : `< ${exclusiveMaximum}`,
  ].filter((part) => part !== "");
  return parts.length > 0 ? ` ${parts.join(", ")}` : "";
}

function toml(value: unknown): string {
  return JSON.stringify(value);
}
