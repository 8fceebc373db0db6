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
const directRun = z.strictObject({
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
  direct: () => Promise<DirectRuns>,
): Handlers<"make_again" | "run_skill" | "follow_run" | "feed_run" | "end_run"> {
  return {
    make_again: {
      params: z.strictObject({ sessionId, artifact, keep: z.boolean().optional() }),
      run: async ({ sessionId: id, artifact: wanted, keep }, { look, left }) =>
        (await import("./replay/replay.ts")).replay(ctx, wanted, { look, left: left(id), keep }),
    },
    run_skill: {
      params: directRun,
      run: async ({ sessionId: id, ...asked }, { left }) => (await direct()).start(asked, left(id)),
    },
    follow_run: {
      params: z.strictObject({ sessionId, run }),
      run: async (asked) => (await direct()).follow(asked.run),
    },
    feed_run: {
      params: z.strictObject({ sessionId, run, base64: z.base64(), end: z.boolean().optional() }),
      run: async (asked) => (await direct()).feed(asked.run, asked.base64, asked.end ?? false),
    },
    end_run: {
      params: z.strictObject({ sessionId, run }),
      run: async (asked) => {
        (await direct()).stop(asked.run);
        return {};
      },
    },
  };
}

/** The programs that people run, loaded with the first one. */
export function createDirectRuns(ctx: RunnerContext): () => Promise<DirectRuns> {
  let runs: Promise<DirectRuns> | undefined;
  const load = async () => {
    const { DirectRuns } = await import("./run/direct.ts");
    const loaded = new DirectRuns(ctx);
    ctx.beforeStop(() => loaded.close());
    return loaded;
  };
  return () => (runs ??= load());
}
