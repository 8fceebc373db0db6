import { rmSync } from "node:fs";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { config } from "./config.ts";
import type { SandboxService } from "./contract.ts";

/** Runs programs of skills, and commands where that is asked for, within bounds. */
export default definePlugin({
  id: "sandbox",
  name: "Sandbox",
  version: "0.1.0",
  provides: ["sandbox"],
  config,

  activate(ctx) {
    let folder: string | undefined;
    let service: Promise<SandboxService> | undefined;
    const load = async () => {
      const [{ createSandbox }, { makeFolder }] = await Promise.all([import("./service.ts"), import("./executor.ts")]);
      // Not the session's: that one is open to commands in the sandbox, and how the next one starts is written here.
      return createSandbox(ctx, ctx.config, () => (folder ??= makeFolder()));
    };
    const loaded = () => (service ??= load());
    ctx.provide("sandbox", {
      executor: async () => (await loaded()).executor(),
      start: async (job, options) => (await loaded()).start(job, options),
      command: async (job) => (await loaded()).command(job),
    });
    return () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    };
  },
});
