import { rmSync } from "node:fs";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import { config } from "./config.ts";
import type { SandboxService } from "./contract.ts";
import { executorFor } from "./inherited.ts";

/** Runs programs of skills, and commands if configured, within limits. */
export default definePlugin({
  id: "sandbox",
  name: "Sandbox",
  version: "0.1.0",
  provides: ["sandbox"],
  config,
  sessionOptions: () => [
    {
      key: "sandbox",
      kind: ["auto", "bubblewrap", "docker", "podman", "local"],
      flag: { flags: "--sandbox <executor>", description: "Sandbox for programs of skills; local: none" },
      setting: "sandbox.executor",
      widens: ["local"],
    },
  ],

  activate(ctx) {
    let folder: string | undefined;
    let service: Promise<SandboxService> | undefined;
    const load = async () => {
      const [{ createSandbox }, { makeFolder }] = await Promise.all([import("./service.ts"), import("./executor.ts")]);
      // A separate folder: commands in the sandbox can write to the session's, and this one controls how the next command
      // starts.
      return createSandbox(ctx, ctx.config, () => (folder ??= makeFolder()));
    };
    const loaded = () => (service ??= load());
    ctx.provide("sandbox", {
      executor: async () => (await loaded()).executor(),
      start: async (job, options) => (await loaded()).start(job, options),
      command: async (job) => (await loaded()).command(job),
      examine: async () => (await import("./examination.ts")).examineExecutors(ctx.config.image),
    });
    return {
      childLimits: () => ({ optional: true, executor: executorFor(ctx, ctx.config) }),
      dispose() {
        if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
