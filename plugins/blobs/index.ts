import { homedir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import type {} from "./contract.ts";
import { operations } from "./operations.ts";
import { createBlobs } from "./store.ts";

/** Plugin `blobs`: stores file contents, each only once, for the sessions that refer to them. */
export default definePlugin({
  id: "blobs",
  name: "Blobs",
  version: "0.1.0",
  scope: "host",
  provides: ["blobs"],

  activate(ctx) {
    ctx.provide("blobs", createBlobs(join(homedir(), ".scorel", "blobs")));
  },

  operations: () => operations,
});
