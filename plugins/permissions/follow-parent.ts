import { narrowest } from "./inherited.ts";
import { limitsOf, modeOf, ownMode, type State, settingsOf, workspaceOf } from "./state.ts";

/**
 * Records the mode when the session's parent has narrowed it, so that it still applies when the parent is gone. When the parent
 * widens its mode again, the session's own mode is recorded.
 */
export async function followParent(state: State): Promise<void> {
  const [atStart, now] = limitsOf(state.ctx);
  if (!atStart || !now) return;
  const isNarrowed = narrowest(atStart.mode, [now]) !== atStart.mode;
  const narrower = isNarrowed && narrowest(ownMode(state), [now]) !== ownMode(state) ? now.mode : undefined;
  if (narrower === state.followed?.mode) return;
  const own = state.followed?.own ?? settingsOf(state);
  state.followed = narrower && { mode: narrower, own };
  const workspace = workspaceOf(state.ctx);
  // The session is opened again with this mode, also without its parent.
  if (workspace && own.opened !== undefined) workspace.permission = narrower ?? own.opened;
  await state.ctx.session.append("permission_mode", { mode: narrower ?? modeOf(state) });
}
