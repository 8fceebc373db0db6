import type {} from "@scorel/cli/contract";
import type {} from "@scorel/commands/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { transferCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Takes sessions out of Scorel, as pages to read and as logs to go on with, and brings those of others in. */
export default definePlugin({
  id: "transfer",
  name: "Transfer",
  version: "0.1.0",
  scope: "host",

  operations: () => ({
    export_session: {
      params: z.strictObject({
        sessionId: z.string(),
        format: z.enum(["md", "html", "jsonl"]),
        file: z.string().min(1).optional(),
        force: z.boolean().optional(),
        path: z.boolean().optional(),
      }),
      run: async (params, context) => (await import("./export.ts")).exportSession(params, context),
    },
    import_session: {
      params: z.strictObject({
        file: z.string().min(1),
        cwd: z.string(),
        format: z.enum(["scorel", "claude-code", "codex", "pi"]).optional(),
      }),
      run: async (params, context) => (await import("./import.ts")).importSession(params, context),
    },
  }),
  commands: () => ({
    export: {
      description: "Write this conversation into a file: /export [md|html|jsonl] [file]",
      run: async (args, context) => (await import("./slash.ts")).exportFromChat(args, context),
    },
  }),
  cliCommands: (ctx) => transferCommands(() => ctx.find("host")),
});
