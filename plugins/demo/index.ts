import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "demo",
  name: "Demonstration",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "sessionLogs"],

  cliCommands: (ctx) => [
    {
      noun: "demo",
      description: "Watch an agent repair a small repository; needs no model and no network",
      run: async (invocation) => (await import("./demo.ts")).runDemo(invocation, ctx.host, ctx.sessionLogs),
    },
  ],
});
