import { homedir } from "node:os";
import { join } from "node:path";
import type {} from "@scorel/cli/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import { projectCommands } from "./commands.ts";
import type {} from "./contract.ts";
import { errors } from "./errors.ts";
import { operations } from "./operations.ts";

const config = z
  .strictObject({
    roots: z
      .array(z.string().min(1))
      .min(1)
      .default(["~"])
      .describe("Directories below which clients may look for one to work in"),
  })
  .prefault({});

/** Plugin `projects`: registers the directories that sessions work in, with ids that survive moves. */
export default definePlugin({
  id: "projects",
  name: "Projects",
  version: "0.1.0",
  scope: "host",
  provides: ["projects"],
  config,

  activate(ctx) {
    const path = join(homedir(), ".scorel", "projects.json");
    ctx.provide("projects", {
      async register(directory, name) {
        const files = ctx.find("sharedFiles");
        if (!files) throw errors.PROJECT_NO_HOST();
        return (await import("./register.ts")).register(files, path, directory, name);
      },
      book: async () => (await import("./book.ts")).openBook(path),
    });
  },

  operations: (ctx) =>
    operations(() => {
      const [directories, logs, files] = [ctx.find("directories"), ctx.find("sessionLogs"), ctx.find("sharedFiles")];
      return directories && logs && files && { ...directories, ...logs, ...files };
    }, ctx.config.roots),
  cliCommands: (ctx) => projectCommands(() => ctx.find("host")),
});
