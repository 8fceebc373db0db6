import { asObject } from "./event-text.ts";

/** Finish reasons that some openai-completions servers use in place of the standard ones. */
const STANDARD: ReadonlyMap<unknown, string> = new Map([
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
]);

/** Replaces a server's own finish reasons, which the library takes for errors. Returns true if anything changed. */
export function repairFinishReason({ choices }: Record<string, unknown>): boolean {
  const [choice] = Array.isArray(choices) ? choices.map(asObject) : [];
  const standard = STANDARD.get(choice?.finish_reason);
  if (choice && standard !== undefined) choice.finish_reason = standard;
  return standard !== undefined;
}
