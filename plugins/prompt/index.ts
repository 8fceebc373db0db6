import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { baseParts, compose } from "./parts.ts";

/** Where a user's own words stand. */
const LAST = 1_000;

export default definePlugin({
  id: "prompt",
  name: "Prompt",
  version: "0.1.0",
  provides: ["prompt"],

  activate(ctx) {
    let text: string | undefined;
    const make = () => {
      const { cwd = process.cwd(), appendSystemPrompt } = ctx.find("workspace") ?? {};
      const base = baseParts({ cwd, platform: process.platform, startedAt: ctx.session.header.createdAt });
      return compose(appendSystemPrompt === undefined ? base : [...base, { priority: LAST, text: appendSystemPrompt }]);
    };
    ctx.provide("prompt", {
      system() {
        text ??= make();
        return text;
      },
    });
  },
});
