import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { configCommands, presetCommands, promptCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { logCommands } from "./logs.ts";

/**
 * Plugin `inspect`: shows presets, configuration and prompts with the origin of each part, and a session's readable
 * log.
 */
export default definePlugin({
  id: "inspect",
  name: "Inspect",
  version: "0.1.0",
  scope: "host",
  needs: ["layers", "host"],

  cliCommands: ({ layers, host }) => [
    ...presetCommands(layers),
    ...configCommands(layers),
    ...promptCommands(host),
    ...logCommands(host),
  ],
  operations: () => ({
    get_prompt: {
      params: z.strictObject({ sessionId: z.string().optional(), cwd: z.string() }),
      run: async (params, context) => (await import("./prompt-view.ts")).readPrompt(params, context),
    },
    resolve_session: {
      params: z.strictObject({ sessionId: z.string() }),
      run: ({ sessionId }, { resolve }) => ({ sessionId: resolve(sessionId) }),
    },
  }),
});
