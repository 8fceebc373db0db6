type Json = Record<string, unknown>;

/**
 * Repairs common mistakes of models before validation: drops `null` for optional fields, and parses JSON text where an object,
 * array, number or boolean is expected. `raw` is not changed.
 */
export function repairArguments(raw: unknown, schema: Json): unknown {
  if (raw === undefined || raw === null || raw === "") return {};
  return repair(raw, schema);
}

function repair(value: unknown, schema: Json): unknown {
  const given = typeof value === "string" ? parsed(value, schema) : value;
  if (Array.isArray(given))
    return isJson(schema.items) ? given.map((item) => repair(item, schema.items as Json)) : given;
  if (!isJson(given) || !isJson(schema.properties)) return given;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(given).flatMap(([key, field]) => {
    const part = (schema.properties as Json)[key];
    if (!isJson(part)) return [[key, field]];
    if (field === null && !required.includes(key) && !accepts(part, "null")) return [];
    return [[key, repair(field, part)]];
  });
  return Object.fromEntries(fields);
}

/** Parses a text if the schema expects another type: models write `"5"` for 5. */
function parsed(text: string, schema: Json): unknown {
  if (accepts(schema, "string")) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typesOf(value).some((type) => accepts(schema, type)) ? value : text;
  } catch {
    return text;
  }
}

function typesOf(value: unknown): string[] {
  if (Array.isArray(value)) return ["array"];
  if (isJson(value)) return ["object"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return typeof value === "boolean" ? ["boolean"] : [];
}

/** Whether a schema accepts a type by name. */
function accepts(schema: Json, type: string): boolean {
  if (schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))) return true;
  if (type === "null" && (schema.nullable === true || schema.const === null)) return true;
  if (type === "null" && Array.isArray(schema.enum) && schema.enum.includes(null)) return true;
  const choices = [schema.anyOf, schema.oneOf].filter(Array.isArray).flat();
  return choices.some((choice) => isJson(choice) && accepts(choice, type));
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
