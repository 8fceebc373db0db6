export default [{ script: "terminal-rows.ts" }];
