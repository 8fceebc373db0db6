import type {} from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type { Tool } from "@scorel/tools/contract";
import { config } from "./config.ts";
import { createWebFetch } from "./tool.ts";

/** The tool WebFetch, which reads pages of the web. */
export default definePlugin({
  id: "fetch",
  name: "Web pages",
  version: "0.1.0",
  needs: ["agent"],
  config,
  activate: (ctx) => ({ tools: (): Tool[] => [createWebFetch(ctx)] }),
});
