import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";

const sessionId = z.string();

/** Plugin `commands`: slash commands of all plugins and Markdown files, and the built-in ones. */
export default definePlugin({
  id: "commands",
  name: "Commands",
  version: "0.1.0",

  operations: (ctx) => ({
    list_commands: {
      summary: "Lists the slash commands of a session.",
      readOnly: true,
      params: z.strictObject({ sessionId }),
      run: async () => ({ commands: (await import("./registry.ts")).listCommands(ctx) }),
    },
    run_command: {
      summary: "Runs a slash command.",
      params: z.strictObject({ sessionId, name: z.string(), args: z.string() }),
      run: async (asked, { clientId, request }) =>
        (await import("./registry.ts")).runCommand(ctx, asked, { sessionId: ctx.session.id, clientId, request }),
    },
    complete_command: {
      summary: "Completes the end of a line: a slash command or a marked word.",
      readOnly: true,
      params: z.strictObject({ sessionId, line: z.string() }),
      run: async ({ line }, { clientId, request }) =>
        (await import("./completion.ts")).completeCommand(ctx, line, { sessionId: ctx.session.id, clientId, request }),
    },
  }),
});
