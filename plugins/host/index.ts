import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/logs/contract";
import { sessionCommands } from "./commands/session-commands.ts";
import type { HostService } from "./contract.ts";
import { checkOptions } from "./contributed-options.ts";
import { createHost, type LocalHost } from "./host.ts";
import { shippedOptions } from "./shipped-options.ts";

export default definePlugin({
  id: "host",
  name: "Host",
  version: "0.1.0",
  scope: "host",
  needs: ["composition", "logs"],
  provides: ["host"],

  activate(ctx) {
    const told = new Set<string>();
    // Nothing else would report an option that was left out.
    const tell = ({ message }: Error) => {
      if (!told.has(message)) ctx.find("launch")?.stderr.write(`scorel: ${message}\n`);
      told.add(message);
    };
    const sessionOptions: HostService["sessionOptions"] = (taken = []) => {
      const all = [...(ctx.find("launch")?.globalOptions ?? []), ...taken];
      return [
        ...shippedOptions,
        ...ctx.collect("sessionOptions", checkOptions(all, tell)).flatMap(({ value }) => value),
      ];
    };
    const host = createHost({ composition: ctx.composition, logs: ctx.logs, logger: ctx.logger, sessionOptions });
    ctx.provide("host", host);
    ctx.beforeStop(() => host.sessions.closeAll());
  },

  cliCommands: (ctx) => sessionCommands(() => ctx.find("host") as LocalHost),
});
