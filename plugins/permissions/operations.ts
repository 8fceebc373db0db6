import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import { assertUnlocked, MODES, modeOf, type State } from "./state.ts";

/** The operation that changes the permission mode. Rules of the configuration hold in every mode. */
export function operations(state: State) {
  return {
    set_permission: {
      summary: "Changes the permission mode of a session. The rules of the configuration hold in every mode.",
      params: () => z.strictObject({ sessionId: z.string(), mode: z.enum(MODES) }),
      result: async () => z.strictObject({ mode: z.enum(MODES) }),
      run: async ({ mode }) => {
        assertUnlocked(mode, state);
        await (await import("./plan.ts")).changeMode(mode, state);
        // In a session with a parent, not wider than the parent's.
        return { mode: modeOf(state) };
      },
    },
  } satisfies Contributions["operations"];
}
