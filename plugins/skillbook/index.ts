import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { skillCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { sourceCommands } from "./source-commands.ts";

/** Skills on the command line: list and check them, and install them from elsewhere. */
export default definePlugin({
  id: "skillbook",
  name: "Skillbook",
  version: "0.1.0",
  scope: "host",

  cliCommands: (ctx) => {
    const host = () => ctx.find("host");
    return [...skillCommands(host), ...sourceCommands({ host, store: () => ctx.find("skillStore") })];
  },
});
