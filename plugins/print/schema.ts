import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { z } from "zod";
import { errors } from "./errors.ts";

/** A JSON schema that the answer must match. */
export interface AnswerSchema {
  /** Text for the end of the prompt. */
  readonly instruction: string;
  check(answer: string): { fits: true; data: unknown } | { fits: false; reason: string };
}

/** Reads a JSON schema from a file; throws PRINT_SCHEMA. */
export function readSchema(path: string, cwd: string): AnswerSchema {
  try {
    const schema = JSON.parse(readFileSync(resolve(cwd, path), "utf8")) as Parameters<typeof z.fromJSONSchema>[0];
    const checker = z.fromJSONSchema(schema);
    const text = JSON.stringify(schema);
    return {
      instruction: `Your final answer must be one JSON value that fits this JSON schema, and nothing else:\n${text}`,
      check: (answer) => check(answer, checker),
    };
  } catch (thrown) {
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : messageOf(thrown);
    throw errors.PRINT_SCHEMA({ path, reason }, { cause: thrown });
  }
}

/** Returns the message to send when an answer does not match. */
export function repairOf(reason: string): string {
  return `Your answer does not fit the JSON schema: ${reason}\nAnswer again with the corrected JSON value and nothing else.`;
}

function check(answer: string, checker: z.ZodType): ReturnType<AnswerSchema["check"]> {
  let value: unknown;
  try {
    value = JSON.parse(unfenced(answer));
  } catch (thrown) {
    return { fits: false, reason: `it is not a JSON value (${messageOf(thrown)})` };
  }
  const { success, error } = checker.safeParse(value);
  if (success) return { fits: true, data: value };
  const issues = error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message));
  return { fits: false, reason: issues.join("; ") };
}

/** Removes a code fence around the whole answer, which models like to add. */
function unfenced(answer: string): string {
  return /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(answer)?.[1] ?? answer;
}
