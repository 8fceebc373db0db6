import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";

/** Plugin `commands`: slash commands of all plugins and Markdown files, and the built-in ones. */
export default definePlugin({
  id: "commands",
  name: "Commands",
  version: "0.1.0",

  operations,
});
