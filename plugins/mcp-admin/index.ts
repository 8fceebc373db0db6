import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { mcpCommands } from "./commands.ts";

/** Plugin `mcp-admin`: adds, lists, tests and removes MCP servers on the command line. */
export default definePlugin({
  id: "mcp-admin",
  name: "MCP servers",
  version: "0.1.0",
  scope: "host",

  cliCommands: (ctx) => mcpCommands(ctx),
});
