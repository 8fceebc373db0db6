/** Searches in 1 GB of sessions, for names in a project of 100,000 files, and for mentioned paths. The scripts write the files first. */
export default [{ script: "search-rows.mjs" }, { script: "glob-rows.ts" }, { script: "mention-rows.ts" }];
