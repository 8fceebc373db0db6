import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import type {} from "@scorel/inspect/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type {} from "@scorel/models/contract";
import type {} from "@scorel/packages/contract";
import type {} from "@scorel/trust/contract";
import type {} from "@scorel/workspace/contract";
import type { Services } from "./check-context.ts";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";

/** Plugin `doctor`: checks everything that Scorel depends on and says how to fix problems. */
export default definePlugin({
  id: "doctor",
  name: "Doctor",
  version: "0.1.0",
  scope: "host",
  needs: ["composition", "launch", "layers", "trust"],

  operations: (ctx) => operations(() => services(ctx)),
  cliCommands: (ctx) => [
    {
      noun: "doctor",
      description: "Check plugins, options, programs, files and the model; exits 1 when something is broken",
      options: [
        outputOption,
        { flags: "--offline", description: "Open no connection; skip the model's server" },
        { flags: "--selftest", description: "Also run a turn with the offline model in a temporary home" },
      ],
      run: async (invocation) => (await import("./command.ts")).examine(invocation, services(ctx)),
    },
  ],
});

function services(
  ctx: PluginContext<Readonly<Record<string, unknown>>, "composition" | "launch" | "layers" | "trust">,
): Services {
  return {
    version: ctx.launch.version,
    composition: ctx.composition,
    layers: ctx.layers,
    trust: ctx.trust,
    presetStore: ctx.find("presetStore"),
    // May be missing: the command must work when these plugins fail to start.
    host: ctx.find("host"),
    sessionLogs: ctx.find("sessionLogs"),
    models: ctx.find("models"),
  };
}
