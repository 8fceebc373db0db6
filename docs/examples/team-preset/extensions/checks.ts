/** A tool that tells the model which commands must pass before a change is done, from `[checks]`. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "checks",
  name: "Checks",
  version: "1.0.0",
  needs: ["tools"],
  config: z.strictObject({ commands: z.array(z.string()).default([]) }),
  tools: ({ config }) => [
    {
      name: "TeamChecks",
      description: "Names the commands that have to pass before a change is done",
      parameters: z.object({}),
      access: () => "read",
      execute: async () => ({ content: [{ type: "text", text: config.commands.join("\n") || "None." }] }),
    },
  ],
});
