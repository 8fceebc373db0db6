import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { searchCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";

/** Plugin `search`: finds text in all sessions and sums their usage. */
export default definePlugin({
  id: "search",
  name: "Search",
  version: "0.1.0",
  scope: "host",

  operations: (ctx) => operations(() => ctx.find("projects")),
  cliCommands: (ctx) => searchCommands(ctx),
});
