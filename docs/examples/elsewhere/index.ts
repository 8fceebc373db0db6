/** Lets the tools work on another computer or in a container: on the other end of a program's input and output. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { Connection } from "./connection.ts";
import { remoteFiles, remoteProcesses } from "./services.ts";

const config = z.strictObject({
  /** Starts agent.mjs where the tools should work: `["ssh", "host", "node", "agent.mjs"]`. */
  command: z.tuple([z.string()], z.string()),
  /** The project's folder there; by default the same path as here. */
  folder: z.string().optional(),
});

export default definePlugin({
  id: "elsewhere",
  name: "Tools elsewhere",
  version: "1.0.0",
  needs: [],
  provides: ["files", "processes"],
  config,

  activate(ctx) {
    const here = ctx.find("workspace")?.root ?? process.cwd();
    const there = ctx.config.folder ?? here;
    // The program that connects needs no keys of models.
    const connection = new Connection(ctx.config.command, ctx.find("secrets")?.childEnv() ?? {});
    ctx.provide("files", remoteFiles(connection, { here, there }));
    ctx.provide("processes", remoteProcesses(connection, { here, there }));
    return () => connection.close();
  },
});
