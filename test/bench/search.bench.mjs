/** Words and sums over a store of 1 GB, and names over a project of 100,000 files, which the scripts write first. */
export default [{ script: "search-rows.mjs" }, { script: "glob-rows.ts" }];
