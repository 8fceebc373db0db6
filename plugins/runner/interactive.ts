import type { BaseContext } from "@scorel/kernel";
import type { RunnerContext } from "./config.ts";
import { newsOf } from "./interactive-news.ts";
import type { InteractiveRuns } from "./interactive-runs.ts";

/** The programs that a session speaks with: loaded with the first one, ended with the session. */
export interface Interactive {
  runs(): Promise<InteractiveRuns>;
  /** Says at the end of the conversation what has become of those that the model takes for running. */
  tellNews(): Promise<void>;
}

const all = new WeakMap<BaseContext["session"], Interactive>();

/** The same for all of a session. */
export function interactiveOf(ctx: RunnerContext): Interactive {
  const known = all.get(ctx.session) ?? create(ctx);
  all.set(ctx.session, known);
  return known;
}

function create(ctx: RunnerContext): Interactive {
  let runs: Promise<InteractiveRuns> | undefined;
  ctx.beforeStop(async () => (await runs)?.close());
  ctx.onDispose(() => void all.delete(ctx.session));
  return {
    runs: () => (runs ??= import("./interactive-runs.ts").then(({ InteractiveRuns }) => new InteractiveRuns(ctx))),
    async tellNews() {
      const known = ctx.session.projection("interactiveRuns");
      if (Object.keys(known).length === 0) return;
      const news = newsOf(known, await runs);
      if (news) await ctx.session.appendAll([news]);
    },
  };
}
