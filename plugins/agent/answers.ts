import { errors } from "./errors.ts";

/** The answers that a layer may give: the kernel skips, and names, a layer that gives another. */
export const answers = {
  messages: (hook: string) => (answer: unknown) => {
    if (!Array.isArray(answer)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "a list of messages" });
    const at = answer.findIndex((message) => !isMessage(message));
    if (at >= 0)
      throw errors.AGENT_HOOK_ANSWER({ hook, wanted: `a list of messages, but item ${at} has no role or no content` });
  },
  text: (hook: string) => (answer: unknown) => {
    if (typeof answer !== "string") throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "a text" });
  },
  verdict: (hook: string) => (answer: unknown) => {
    const isVerdict = isObject(answer) && isBoolean(answer.block) && isText(answer.reason);
    if (!isVerdict) throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "{ block?: boolean, reason?: string }" });
  },
  change: (hook: string) => (answer: unknown) => {
    const isChange =
      isObject(answer) &&
      (answer.content === undefined || typeof answer.content === "string" || isContent(answer.content)) &&
      isBoolean(answer.isError) &&
      isBoolean(answer.terminate);
    if (!isChange) throw errors.AGENT_HOOK_ANSWER({ hook, wanted: "parts of a result: content, details, isError" });
  },
};

function isMessage(value: unknown): boolean {
  return (
    isObject(value) && typeof value.role === "string" && (typeof value.content === "string" || isContent(value.content))
  );
}

/** Blocks as far as everyone relies on them; those of unknown types are for whoever knows them. */
function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every((block) => isObject(block) && typeof block.type === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isBoolean(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}
function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
