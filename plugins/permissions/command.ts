import type { Mode } from "./contract.ts";
import { changeMode } from "./plan.ts";
import { MODES, modeOf, type State } from "./state.ts";

/** `/permission`: shows what holds, or changes the mode. */
export async function permission(mode: Mode | undefined, state: State): Promise<string | undefined> {
  if (mode === undefined) return told(state);
  await changeMode(mode, state);
  return undefined;
}

function told(state: State): string {
  const { allow, ask, deny } = state.ctx.config;
  const lists = { deny, ask, allow, "allow in this session": state.rules };
  const rows = Object.entries(lists).flatMap(([list, rules]) => rules.map((rule) => `${list}: ${rule}`));
  return [`mode: ${modeOf(state)} (of ${MODES.join(", ")})`, ...rows].join("\n");
}
