import type {} from "@scorel/agent/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/permissions/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type {} from "./contract.ts";
import { FileIndex } from "./find/file-index.ts";
import type { Mentions } from "./mentions.ts";
import { operations } from "./operations.ts";

/** Plugin `mentions`: finds files by parts of their names, and attaches those that a message mentions. */
export default definePlugin({
  id: "mentions",
  name: "Mentions",
  version: "0.1.0",
  needs: ["files"],
  provides: ["mentions"],

  activate(ctx) {
    const mentions: Mentions = {
      ctx,
      get index() {
        return index;
      },
      workspace: () => ctx.find("workspace") as Workspace,
    };
    const index = new FileIndex(mentions);
    ctx.provide("mentions", {
      attach: async (content, signal) => (await import("./attach/attach.ts")).attach(content, mentions, signal),
    });
    return { operations: operations(mentions) };
  },
});
