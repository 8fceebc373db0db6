export default [{ script: "extension-rows.mjs" }];
