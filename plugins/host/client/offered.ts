import type { Rights } from "../contract.ts";

/** The fields of a question that concern its answers. */
interface Question {
  options?: readonly { value: string; lasting?: boolean; needs?: string; kind?: string }[];
  fallback?: string;
}

/** Returns the question with only those answers that a client with these rights may give. The host refuses the others. */
export function offeredTo<Q extends Question>(question: Q, { lasting = true, operations = "all" }: Rights): Q {
  const { options, fallback } = question;
  if (!options) return question;
  const mayCall = (name: string | undefined) => name === undefined || operations === "all" || operations.includes(name);
  const offered = options.filter((option) => (lasting || option.lasting !== true) && mayCall(option.needs));
  if (offered.length === options.length) return question;
  const result = { ...question, options: offered };
  if (!offered.some(({ value }) => value === fallback)) delete result.fallback;
  return result;
}

/** The answer that may be chosen in advance: the plugin's default, unless it allows something or holds for more than this question. */
export function chosenFor({ options, fallback }: Question): string | undefined {
  const option = options?.find(({ value }) => value === fallback);
  return option?.lasting === true || option?.kind?.startsWith("allow") ? undefined : fallback;
}
