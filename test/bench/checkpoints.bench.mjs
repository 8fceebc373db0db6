/** The cost of checkpoints in each round. */
export default [{ script: "checkpoint-rows.mjs" }];
