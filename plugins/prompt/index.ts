import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { baseParts, compose } from "./parts.ts";

export default definePlugin({
  id: "prompt",
  name: "Prompt",
  version: "0.1.0",
  provides: ["prompt"],

  activate(ctx) {
    let text: string | undefined;
    const make = () => {
      const cwd = ctx.find("workspace")?.cwd ?? process.cwd();
      return compose(baseParts({ cwd, platform: process.platform, startedAt: ctx.session.header.createdAt }));
    };
    ctx.provide("prompt", {
      system() {
        text ??= make();
        return text;
      },
    });
  },
});
