import type { Operation, OperationHandler } from "@scorel/host/contract";
import { z } from "zod";
import type { RunnerContext } from "./config.ts";
import type { DirectRuns } from "./run/direct.ts";

const sessionId = z.string();
const run = z.string();

const artifact = z.looseObject({
  name: z.string(),
  version: z.number().int().min(0),
  sha256: z.string(),
  size: z.number(),
  mimeType: z.string(),
  savedAt: z.number(),
});
const input = z.strictObject({
  from: z.string(),
  to: z.string().exactOptional(),
  mode: z.enum(["copy", "link"]).exactOptional(),
  pin: z.boolean().exactOptional(),
});
const direct = z.strictObject({
  sessionId,
  request: z.strictObject({
    skill: z.string(),
    command: z.string(),
    cwd: z.string().exactOptional(),
    inputs: z.array(input).exactOptional(),
    timeout: z.number().positive().exactOptional(),
  }),
  stdin: z.boolean().exactOptional(),
  host: z.array(z.string()).exactOptional(),
  out: z.string().exactOptional(),
  keep: z.boolean().exactOptional(),
});

type Handlers<O extends Operation> = { [K in O]: OperationHandler<K> };

/** The operations by which clients run programs of a session's skills. */
export function operations(
  ctx: RunnerContext,
): Handlers<"make_again" | "run_skill" | "follow_run" | "feed_run" | "end_run"> {
  return {
    make_again: {
      params: z.strictObject({ sessionId, artifact, keep: z.boolean().optional() }),
      run: async ({ sessionId: id, artifact: wanted, keep }, { look, left }) =>
        (await import("./replay/replay.ts")).replay(ctx, wanted, { look, left: left(id), keep }),
    },
    run_skill: {
      params: direct,
      run: async ({ sessionId: id, ...asked }, { left }) => (await directOf(ctx)).start(asked, left(id)),
    },
    follow_run: {
      params: z.strictObject({ sessionId, run }),
      run: async (asked) => (await directOf(ctx)).follow(asked.run),
    },
    feed_run: {
      params: z.strictObject({ sessionId, run, base64: z.base64(), end: z.boolean().optional() }),
      run: async (asked) => (await directOf(ctx)).feed(asked.run, asked.base64, asked.end ?? false),
    },
    end_run: {
      params: z.strictObject({ sessionId, run }),
      run: async (asked) => {
        (await directOf(ctx)).stop(asked.run);
        return {};
      },
    },
  };
}

const all = new WeakMap<RunnerContext["session"], DirectRuns>();

/** Loaded when a person runs the first program. */
async function directOf(ctx: RunnerContext): Promise<DirectRuns> {
  const { DirectRuns } = await import("./run/direct.ts");
  const known = all.get(ctx.session);
  if (known) return known;
  const runs = new DirectRuns(ctx);
  all.set(ctx.session, runs);
  ctx.beforeStop(() => runs.close());
  return runs;
}
