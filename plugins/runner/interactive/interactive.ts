import type { RunnerContext } from "../config.ts";
import { endedNotice } from "./interactive-notices.ts";
import type { InteractiveRuns } from "./interactive-runs.ts";

/** The interactive programs of a session: loaded with the first one, killed when the session ends. */
export interface Interactive {
  runs(): Promise<InteractiveRuns>;
  /** Appends a notice about programs that the model believes are running but that have ended. */
  reportEnded(): Promise<void>;
}

/** Creates the session's interactive programs. They are killed before the session stops. */
export function createInteractive(ctx: RunnerContext): Interactive {
  let runs: Promise<InteractiveRuns> | undefined;
  ctx.beforeStop(async () => (await runs)?.close());
  return {
    runs: () => (runs ??= import("./interactive-runs.ts").then(({ InteractiveRuns }) => new InteractiveRuns(ctx))),
    async reportEnded() {
      const known = ctx.session.projection("interactiveRuns");
      if (Object.keys(known).length === 0) return;
      const news = endedNotice(known, await runs);
      if (news) await ctx.session.appendAll([news]);
    },
  };
}
