import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { configCommands, presetCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Shows presets and configuration: what is loaded, which value holds, and who set it. */
export default definePlugin({
  id: "inspect",
  name: "Inspect",
  version: "0.1.0",
  scope: "host",
  needs: ["layers"],

  cliCommands: ({ layers }) => [...presetCommands(layers), ...configCommands(layers)],
});
