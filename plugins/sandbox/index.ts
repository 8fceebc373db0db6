import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    const temp = () => (folder ??= ctx.find("workspace")?.temp ?? mkdtempSync(join(realpathSync(tmpdir()), "scorel-")));
    let service: Promise<SandboxService> | undefined;
    const loaded = () => {
      service ??= import("./service.ts").then(({ createSandbox }) => createSandbox(ctx, ctx.config, temp));
      return service;
    };
    ctx.provide("sandbox", {
      executor: async () => (await loaded()).executor(),
      start: async (job, options) => (await loaded()).start(job, options),
      command: async (job) => (await loaded()).command(job),
    });
    return () => {
      if (folder !== undefined && !ctx.find("workspace")) rmSync(folder, { recursive: true, force: true });
    };
  },
});
