import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";

/** Checks the lines that an agent sends against the schema of the SDK. */

interface Definition {
  "x-method"?: string;
  "x-side"?: "agent" | "client" | "protocol";
}

const path = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
const { $defs } = JSON.parse(readFileSync(path, "utf8"), withoutNot) as { $defs: Record<string, Definition> };

/** Removes branches with `not`, which zod cannot read; the schema uses them only for unknown values. */
function withoutNot(key: string, value: unknown): unknown {
  if ((key !== "anyOf" && key !== "oneOf") || !Array.isArray(value)) return value;
  return (value as object[]).filter((branch) => !("not" in branch));
}

/** The schema of a method's params (`Request`, `Notification`) or of its result (`Response`). */
function schemaOf(method: string, side: "agent" | "client", isAnswer: boolean): z.ZodType {
  const found = Object.entries($defs).find(
    ([name, definition]) =>
      definition["x-method"] === method && definition["x-side"] === side && name.endsWith("Response") === isAnswer,
  );
  if (!found) throw new Error(`The schema has no ${isAnswer ? "answer to" : "call of"} ${method} (${side}).`);
  return z.fromJSONSchema({ $ref: `#/$defs/${found[0]}`, $defs } as never);
}

const schemas = new Map<string, z.ZodType>();
function cached(method: string, side: "agent" | "client", isAnswer: boolean): z.ZodType {
  const key = `${method} ${side} ${isAnswer}`;
  const schema = schemas.get(key) ?? schemaOf(method, side, isAnswer);
  schemas.set(key, schema);
  return schema;
}

const envelope = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/**
 * Why a line of an agent is not valid; undefined if it is valid. `asked` maps ids of requests to the methods that the
 * editor called.
 */
export function faultIn(line: string, asked: ReadonlyMap<unknown, string>): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `no JSON: ${line.slice(0, 200)}`;
  }
  const frame = envelope.safeParse(value);
  if (!frame.success) return `no message: ${line.slice(0, 200)}`;
  const { id, method, params, result } = frame.data;
  if (method === "$/cancel_request") return undefined;
  if (method !== undefined) return faultOf(cached(method, "client", false), params, line);
  if (result === undefined) return undefined;
  const called = asked.get(id);
  return called === undefined ? `an answer to nothing: ${line}` : faultOf(cached(called, "agent", true), result, line);
}

function faultOf(schema: z.ZodType, value: unknown, line: string): string | undefined {
  const { error } = schema.safeParse(value);
  return error && `${error.message}\n${line}`;
}
