import type { DisplayAction } from "@scorel/kernel";
import { z } from "zod";

/** Why a turn failed. */
export const failure = z.strictObject({ code: z.string(), message: z.string() });

/** Renders the reason for which a turn failed. */
export function displayFailure({ message }: z.infer<typeof failure>): DisplayAction {
  return { display: "notice", level: "error", text: message };
}
