import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { Mode } from "./contract.ts";
import { allowsMode, assertUnlocked, MODES, modeOf, type State } from "./state.ts";

const PLACES = ["session", "project", "everywhere"] as const;

const ABOUT: Readonly<Record<Mode, string>> = {
  ask: "Reading in the project is free; everything else is asked about.",
  edits: "Reading and editing files in the project is free; everything else is asked about.",
  full: "Everything is free, except what a rule forbids or asks about, and files that hold keys.",
  plan: "Reading in the project is free; everything else is refused, and the model makes a plan.",
};

function modeRow(mode: Mode, state: State) {
  return {
    mode,
    about: ABOUT[mode],
    ...(mode === modeOf(state) && { current: true as const }),
    ...(!allowsMode(mode, state) && { unavailable: true as const }),
  };
}

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
    list_permission_modes: {
      summary: "Lists the permission modes of a session, with what each allows and which may be chosen.",
      readOnly: true,
      size: { bounded: "There are four modes." },
      params: () => z.strictObject({ sessionId: z.string() }),
      result: async () =>
        z.strictObject({
          modes: z.array(
            z.strictObject({
              mode: z.enum(MODES),
              about: z.string(),
              current: z.literal(true).optional(),
              unavailable: z.literal(true).optional(),
            }),
          ),
        }),
      run: () => ({ modes: MODES.map((mode) => modeRow(mode, state)) }),
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
