/** What watching the files costs a round. */
export default [{ script: "checkpoint-rows.mjs" }];
