import type { LlmAction } from "@scorel/kernel";
import { errors } from "../errors.ts";

const ACTIONS: readonly string[] = ["include", "merge_prev", "skip", "barrier"] satisfies LlmAction["action"][];

/** Returns `value` if it is a valid LlmAction, else throws EVENT_LLM. `isMessage` checks messages. */
export function asLlmAction(type: string, value: unknown, isMessage: (value: unknown) => boolean): LlmAction {
  const action = value as Record<string, unknown> | null | undefined;
  const fail = (reason: string) => errors.EVENT_LLM({ type, reason });
  if (!ACTIONS.includes(action?.action as string)) throw fail(`it has none of the actions ${ACTIONS.join(", ")}`);
  const key = ({ include: "message", merge_prev: "otherwise", barrier: "summary" } as const)[
    action?.action as "include"
  ];
  if (key && !isMessage(action?.[key])) throw fail(`its ${key} is not a message`);
  if (action?.action === "merge_prev" && typeof action.content !== "string") throw fail("its content is not text");
  return value as LlmAction;
}
