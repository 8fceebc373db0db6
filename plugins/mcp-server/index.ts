import type { Invocation } from "@scorel/cli/contract";
import { optionFlags } from "@scorel/host/command-line";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Plugin `mcp-server`: the command `scorel mcp serve`, with which other agents give Scorel tasks over the Model Context Protocol. */
export default definePlugin({
  id: "mcp-server",
  name: "MCP server",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "sessionOptions", "launch"],

  cliCommands: (ctx) => [
    {
      noun: "mcp",
      action: "serve",
      description: "Serve another agent over MCP; the agent starts this command and talks to it over stdin and stdout",
      options: [
        { flags: "--scope <list>", description: "What it may do: view, prompt (default: both), approve" },
        ...optionFlags(ctx.sessionOptions.known()),
      ],
      run: async (invocation: Invocation) => {
        if (invocation.stdin.isTTY === true) throw errors.MCP_SERVER_TERMINAL();
        const { serve } = await import("./serve.ts");
        return serve(ctx, invocation);
      },
    },
  ],
});
