import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import { assertUnlocked, MODES, modeOf, type State } from "./state.ts";

const PLACES = ["session", "project", "everywhere"] as const;

/** The operations that change what is allowed without a question. */
export function operations(state: State) {
  return {
    set_permission: {
      summary: "Changes the permission mode of a session. The rules of the configuration hold in every mode.",
      params: () => z.strictObject({ sessionId: z.string(), mode: z.enum(MODES) }),
      result: async () => z.strictObject({ mode: z.enum(MODES) }),
      run: async ({ mode }, { clientId }) => {
        assertUnlocked(mode, state);
        await (await import("./plan.ts")).changeMode(mode, state, { clientId });
        // In a session with a parent, not wider than the parent's.
        return { mode: modeOf(state) };
      },
    },
    forget_rule: {
      summary: "Forgets a rule that a person has allowed, in this session and in the user's files.",
      size: { bounded: "There are three places." },
      params: () => z.strictObject({ sessionId: z.string(), rule: z.string() }),
      result: async () => z.strictObject({ places: z.array(z.enum(PLACES)) }),
      run: async ({ rule }, { assertSession }) => ({
        places: await (await import("./command.ts")).forgetRule(rule, state, assertSession),
      }),
    },
  } satisfies Contributions["operations"];
}
