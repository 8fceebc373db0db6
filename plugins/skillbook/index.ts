import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { skillCommands } from "./commands.ts";
import type {} from "./contract.ts";

/** Skills from the command line: which there are, what one says, and what the open format says of them. */
export default definePlugin({
  id: "skillbook",
  name: "Skillbook",
  version: "0.1.0",
  scope: "host",

  cliCommands: (ctx) => skillCommands(() => ctx.find("host")),
});
