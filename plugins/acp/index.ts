import type { Invocation } from "@scorel/cli/contract";
import { optionFlags } from "@scorel/host/command-line";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/trust/contract";
import { errors } from "./errors.ts";

/** Plugin `acp`: the command `scorel acp`, with which editors use Scorel as their agent over the Agent Client Protocol. */
export default definePlugin({
  id: "acp",
  name: "ACP",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "sessionOptions", "launch"],

  cliCommands: (ctx) => [
    {
      noun: "acp",
      description:
        "Serve an editor, such as Zed, as its agent; the editor starts this command and talks to it over stdin and stdout",
      options: optionFlags(ctx.sessionOptions.known()),
      run: async (invocation: Invocation) => {
        if (invocation.stdin.isTTY === true) throw errors.ACP_TERMINAL();
        const { serve } = await import("./serve.ts");
        return serve(ctx, invocation);
      },
    },
  ],
});
