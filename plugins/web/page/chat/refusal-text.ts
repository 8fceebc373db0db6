import type { Words } from "../words/words.ts";

/** Errors of a host without a model. Their messages are for a terminal on its computer. */
const WITHOUT_MODEL = new Set(["MODEL_NONE", "MODEL_NONE_IN_HOST"]);

/** Says in words for the page why the host has refused a line. */
export function refusalText(thrown: unknown, words: Pick<Words, "modelNone">): string {
  const { code, message } = thrown as Error & { code?: string };
  return WITHOUT_MODEL.has(code ?? "") ? words.modelNone : message;
}
