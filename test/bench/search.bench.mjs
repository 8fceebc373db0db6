/** Searches in 1 GB of sessions, and for names in a project of 100,000 files. The scripts write both first. */
export default [{ script: "search-rows.mjs" }, { script: "glob-rows.ts" }];
