import type {} from "@scorel/cli/contract";
import type {} from "@scorel/commands/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { transferCommands } from "./commands/commands.ts";
import type {} from "./contract.ts";
import { FORMATS, operations } from "./operations.ts";

/** Plugin `transfer`: exports sessions as pages or logs, and imports session files of other programs. */
export default definePlugin({
  id: "transfer",
  name: "Transfer",
  version: "0.1.0",
  scope: "host",

  operations: () => operations,
  commands: () => ({
    export: {
      group: "Conversation",
      summary: "Write this conversation into a file, as md, html or jsonl",
      operations: ["get_status", "export_session"],
      args: z.object({ format: z.string().optional(), file: z.string().optional(), force: z.boolean().optional() }),
      complete: (key, typed) => (key === "format" ? FORMATS.filter((format) => format.startsWith(typed)) : []),
      run: async (args, context) => (await import("./commands/slash.ts")).exportFromChat(args, context),
    },
  }),
  cliCommands: (ctx) => transferCommands(() => ctx.find("host")),
});
