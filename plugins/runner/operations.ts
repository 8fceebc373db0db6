import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { RunnerContext } from "./config.ts";
import type { DirectRuns } from "./run/direct.ts";

const sessionId = z.string();
const run = z.string();

const artifact = () =>
  z.looseObject({
    name: z.string(),
    version: z.number().int().min(0),
    sha256: z.string(),
    size: z.number(),
    mimeType: z.string(),
    savedAt: z.number(),
  });
const input = () =>
  z.strictObject({
    from: z.string(),
    to: z.string().exactOptional(),
    mode: z.enum(["copy", "link"]).exactOptional(),
    pin: z.boolean().exactOptional(),
  });
const directRun = () =>
  z.strictObject({
    sessionId,
    request: z.strictObject({
      skill: z.string(),
      command: z.string(),
      cwd: z.string().exactOptional(),
      inputs: z.array(input()).exactOptional(),
      timeout: z.number().positive().exactOptional(),
    }),
    stdin: z.boolean().exactOptional(),
    host: z.array(z.string()).exactOptional(),
    out: z.string().exactOptional(),
    keep: z.boolean().exactOptional(),
  });

/** The host paths among the inputs of a request. */
function hostPaths({ request: { inputs = [] } }: Pick<z.infer<ReturnType<typeof directRun>>, "request">): string[] {
  return inputs.flatMap(({ from }) => /^host:\/\/(?:localhost(?=\/))?(.+)$/s.exec(from)?.[1] ?? []);
}

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations by which clients run programs of a session's skills. */
export function operations(ctx: RunnerContext, direct: () => Promise<DirectRuns>) {
  return {
    make_again: {
      summary: "Repeats the run that made an artifact, for `replay_artifact`.",
      size: { bounded: "The inputs and outputs of one run." },
      params: () => z.strictObject({ sessionId, artifact: artifact(), keep: z.boolean().optional() }),
      result: async () => (await results()).make_again,
      run: async ({ sessionId: id, artifact: wanted, keep }, { look, left }) =>
        (await import("./replay/replay.ts")).replay(ctx, wanted, { look, left: left(id), keep }),
    },
    run_skill: {
      summary: "Starts a skill's program in a new workspace. It is killed when its client disconnects.",
      paths: { host: "project", out: "project", "request.inputs.from": "operation", "request.cwd": "operation" },
      params: directRun,
      result: async () => (await results()).run_skill,
      run: async ({ sessionId: id, ...asked }, { left, assertPath }) => {
        for (const path of hostPaths(asked)) await assertPath(id, path);
        return (await direct()).start(asked, left(id));
      },
    },
    follow_run: {
      summary: "Returns new output as soon as there is some, and at the end how the program ended.",
      readOnly: true,
      size: { bounded: "It returns what came since the last call, and the program waits for its reader." },
      params: () => z.strictObject({ sessionId, run }),
      result: async () => (await results()).follow_run,
      run: async (asked) => (await direct()).follow(asked.run),
    },
    feed_run: {
      summary: "Writes to the program's input.",
      params: () => z.strictObject({ sessionId, run, base64: z.base64(), end: z.boolean().optional() }),
      result: async () => (await results()).feed_run,
      run: async (asked) => (await direct()).feed(asked.run, asked.base64, asked.end ?? false),
    },
    end_run: {
      summary: "Kills the program and everything that it started.",
      params: () => z.strictObject({ sessionId, run }),
      result: async () => (await results()).end_run,
      run: async (asked) => {
        (await direct()).stop(asked.run);
        return {};
      },
    },
  } satisfies Contributions["operations"];
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
