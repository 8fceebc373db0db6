import type { PromptSubmitInput } from "./contract.ts";
import { errors } from "./errors.ts";

/** Maximum characters of one layer's answer. */
const LIMIT = 8_000;

/** Adds a layer's answer to the prompt. Throws PROMPT_CONTEXT, which is reported for the layer's plugin. */
export function joinContext(input: PromptSubmitInput, answer: unknown): PromptSubmitInput {
  const text = typeof answer === "string" ? answer : (answer as { context?: unknown }).context;
  if (typeof text !== "string") throw errors.PROMPT_CONTEXT({ received: JSON.stringify(answer) ?? typeof answer });
  if (text.trim() === "") return input;
  return { ...input, context: [...input.context, bounded(text.trim())] };
}

function bounded(text: string): string {
  if (text.length <= LIMIT) return text;
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, LIMIT).replace(/[\ud800-\udbff]$/, "")}\n[cut: ${text.length - LIMIT} more characters]`;
}
