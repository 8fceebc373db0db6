import type { Context } from "../context.ts";

/** What looks at files and restores them; it is loaded when it is needed. */
export type Files = ReturnType<typeof filesOf>;

/** Whoever comes while files are being restored waits for it, and an interrupted restore is finished first. */
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
