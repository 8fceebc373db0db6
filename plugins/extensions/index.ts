import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { pluginCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** `scorel plugin`: begins an extension, lists all plugins with what they do, checks one, and gives an editor its types. */
export default definePlugin({
  id: "extensions",
  name: "Extensions",
  version: "0.1.0",
  scope: "host",
  needs: ["extensions"],

  cliCommands: ({ extensions }) => pluginCommands(extensions),
});
