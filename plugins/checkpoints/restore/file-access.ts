import type { Context } from "../context.ts";

/** The operations that examine and restore files; their code is loaded when it is needed. */
export type Files = ReturnType<typeof filesOf>;

/**
 * Creates the file operations. A restore runs alone: other operations wait for it, and finish an interrupted one first.
 */
export function filesOf(ctx: Context) {
  let going: Promise<unknown> | undefined;
  const alone = async <R>(work: () => Promise<R>): Promise<R> => {
    while (going) await going.catch(() => {});
    const run = work();
    going = run;
    try {
      return await run;
    } finally {
      going = undefined;
    }
  };
  const finish = async () => {
    const files = await import("./files.ts");
    await alone(() => files.finishRestore(ctx));
    return files;
  };
  return {
    finish,
    preview: async (target: string) => (await finish()).previewFiles(ctx, target),
    changes: async () => (await finish()).changesOf(ctx),
    async restore(target: string, overwrite: boolean) {
      const { restoreFiles } = await finish();
      return alone(() => restoreFiles(ctx, target, overwrite));
    },
  };
}
