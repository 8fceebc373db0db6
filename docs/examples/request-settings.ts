/** Sends a temperature and the header `x-team` with each request of a conversation; set `[request-settings] temperature` and `team`. */
import type {} from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "request-settings",
  name: "Request settings",
  version: "1.0.0",
  config: z.strictObject({ temperature: z.number().min(0).default(0), team: z.string().default("none") }),
  hooks: ({ config }) => ({
    // Summaries and titles are left as they are.
    modelRequest: ({ purpose }) =>
      purpose === "turn" ? { temperature: config.temperature, headers: { "x-team": config.team } } : undefined,
  }),
});
