/** Words and sums over a store of 1 GB, which the script writes first. */
export default [{ script: "search-rows.mjs" }];
