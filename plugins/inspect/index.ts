import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { configCommands, presetCommands, promptCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Shows presets, configuration and prompts: what is loaded, which value holds, what a model is told, and who said so. */
export default definePlugin({
  id: "inspect",
  name: "Inspect",
  version: "0.1.0",
  scope: "host",
  needs: ["layers", "host"],

  cliCommands: ({ layers, host }) => [...presetCommands(layers), ...configCommands(layers), ...promptCommands(host)],
  operations: () => ({
    get_prompt: {
      params: z.strictObject({ sessionId: z.string().optional(), cwd: z.string() }),
      run: async (params, context) => (await import("./prompt-view.ts")).readPrompt(params, context),
    },
  }),
});
