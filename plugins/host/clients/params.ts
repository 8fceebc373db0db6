import { knownKeys, unknownKeys } from "@scorel/kit/schema/keys";
import { issueText } from "@scorel/kit/values/issue-text";
import { nearest } from "@scorel/kit/values/nearest";
import type { KeyPath } from "@scorel/kit/values/table";
import type { SessionOption } from "@scorel/workspace/contract";
import { z } from "zod";
import type { AnswerSize } from "../contract.ts";
import { errors } from "../errors.ts";
import { paramsWithPage } from "./answer-size.ts";

export const text = z.string().optional();
export const flag = z.boolean().optional();
export const count = z.number().int().min(0).optional();

/** The name of the params in problems with them as a whole. */
const PARAMS = "params";

/** The content of a user's message. */
export const content = z.union([
  z.string(),
  z.array(
    z.union([
      z.looseObject({ type: z.literal("text"), text: z.string() }),
      z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
    ]),
  ),
]);

/**
 * Validates the params of an operation and returns the schema's output. Throws HOST_PARAMS_INVALID with all mistakes. Unknown keys are
 * mistakes, even if the schema itself would ignore them.
 */
export function checkParams<P>(operation: string, schema: z.ZodType<P>, params: unknown): P {
  // Compiling the schema costs more than it saves for a few requests.
  const checked = schema.safeParse(params, { jitless: true });
  if (checked.success && unknownKeys(schema, params).length === 0) return checked.data;
  throw errors.HOST_PARAMS_INVALID({ operation, problems: paramProblems(schema, params, checked.error) });
}

function paramProblems(schema: z.ZodType, params: unknown, { issues } = new z.ZodError([])): string {
  const wrong = issues.filter(({ code }) => code !== "unrecognized_keys").map((issue) => problemOf(issue, PARAMS));
  const unknown = unknownKeys(schema, params).map((path) => unknownProblem(schema, path));
  return [...wrong, ...unknown].join("; ");
}

function unknownProblem(schema: z.ZodType, path: KeyPath): string {
  const around = path.slice(0, -1);
  const key = String(path.at(-1));
  const near = nearest(key, knownKeys(schema, around), { partly: true });
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  return `${placeOf(around, PARAMS)}: there is no ${JSON.stringify(key)} here${meant}`;
}

/** Formats validation problems, each with its key. A problem with the checked value itself is shown with the name of that value, `whole`. */
export function problemsOf({ issues }: z.ZodError, whole: string): string {
  return issues.map((issue) => problemOf(issue, whole)).join("; ");
}

function problemOf(issue: z.core.$ZodIssue, whole: string): string {
  return `${placeOf(issue.path, whole)}: ${issueText(issue)}`;
}

function placeOf(path: readonly PropertyKey[], whole: string): string {
  return path.map(String).join(".") || whole;
}

const made = new Map<string, z.ZodType>();

/**
 * Returns the schema of one of the host's own operations. It is created on first use; for operations that open sessions
 * also when the options of sessions have changed since.
 */
export function ownSchema<P>(
  operation: string,
  { params, opens, size }: { params(): z.ZodType<P>; opens?: true; size?: AnswerSize },
  options: () => readonly SessionOption[],
): z.ZodType<P> {
  const rows = opens ? options() : [];
  const name = opens ? JSON.stringify([operation, rows]) : operation;
  const known = made.get(name) as z.ZodType<P> | undefined;
  if (known) return known;
  const own = paramsWithPage(params(), size);
  const schema = opens ? ((own as unknown as z.ZodObject).extend(shapeOf(rows)) as unknown as z.ZodType<P>) : own;
  made.set(name, schema);
  return schema;
}

function shapeOf(rows: readonly SessionOption[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    rows.map(({ key, kind, flag }) => {
      const schema = optionSchema(kind).optional();
      return [key, flag ? schema.describe(flag.description) : schema];
    }),
  );
}

function optionSchema(kind: SessionOption["kind"]): z.ZodType {
  if (kind === "text") return z.string();
  if (kind === "texts") return z.array(z.string());
  return kind === "switch" ? z.boolean() : z.enum(kind);
}
