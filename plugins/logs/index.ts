import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { jsonlLogs } from "./service.ts";

/** Stores the log of each session in a file of JSON lines. */
export default definePlugin({
  id: "logs",
  name: "Logs",
  version: "0.1.0",
  scope: "host",
  provides: ["logs"],

  activate(ctx) {
    ctx.provide("logs", jsonlLogs);
  },
});
