export default [{ script: "page-rows.ts" }];
