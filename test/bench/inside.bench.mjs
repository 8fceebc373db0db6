/** Scripts that measure for themselves. */
export default [{ script: "kernel-rows.ts" }, { script: "round-rows.mjs" }, { script: "compaction-rows.ts" }];
