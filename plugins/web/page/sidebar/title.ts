import type { SessionSummary } from "@scorel/host/contract";
import { safeLine } from "../display/safe.ts";
import type { Words } from "../words/words.ts";

/** The title of a session as it is shown. */
export function titleOf({ name, title }: Pick<SessionSummary, "name" | "title">, { untitled }: Words): string {
  return safeLine(name ?? title) || untitled;
}
