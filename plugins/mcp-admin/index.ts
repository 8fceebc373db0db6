import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { mcpCommands } from "./commands.ts";

/** MCP servers on the command line: add, list, try and remove them. */
export default definePlugin({
  id: "mcp-admin",
  name: "MCP servers",
  version: "0.1.0",
  scope: "host",

  cliCommands: (ctx) => mcpCommands(ctx),
});
