import type { PromptSubmitInput } from "./contract.ts";
import { errors } from "./errors.ts";

/** Characters of one answer that a prompt carries. */
const LIMIT = 8_000;

/** Joins a layer's answer to what is added to the prompt; throws PROMPT_CONTEXT, which is reported in the layer's name. */
export function joinContext(input: PromptSubmitInput, answer: unknown): PromptSubmitInput {
  const text = typeof answer === "string" ? answer : (answer as { context?: unknown }).context;
  if (typeof text !== "string") throw errors.PROMPT_CONTEXT({ received: JSON.stringify(answer) ?? typeof answer });
  if (text.trim() === "") return input;
  return { ...input, context: [...input.context, bounded(text.trim())] };
}

function bounded(text: string): string {
  if (text.length <= LIMIT) return text;
  // Half a character at the end is of no use to anyone.
  return `${text.slice(0, LIMIT).replace(/[\ud800-\udbff]$/, "")}\n[cut: ${text.length - LIMIT} more characters]`;
}
