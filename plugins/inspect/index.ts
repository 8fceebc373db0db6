import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { configCommands, presetCommands, promptCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { logCommands } from "./logs.ts";
import { operations } from "./operations.ts";

/**
 * Plugin `inspect`: shows presets, configuration and prompts with the origin of each part, and a session's readable
 * log.
 */
export default definePlugin({
  id: "inspect",
  name: "Inspect",
  version: "0.1.0",
  scope: "host",
  needs: ["layers", "host", "sessionLogs"],

  cliCommands: ({ layers, host, sessionLogs }) => [
    ...presetCommands(layers),
    ...configCommands(layers),
    ...promptCommands(host),
    ...logCommands(host, sessionLogs),
  ],
  completionSources: ({ layers }) => [
    {
      kind: "preset",
      values: async () => (await layers.presets()).map(({ name }) => ({ value: name })),
    },
  ],
  operations: ({ layers }) => operations(layers),
});
