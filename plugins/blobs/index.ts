import { homedir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import { createBlobs } from "./store.ts";

/** Stores file contents, once each, for the sessions that refer to them. */
export default definePlugin({
  id: "blobs",
  name: "Blobs",
  version: "0.1.0",
  scope: "host",
  provides: ["blobs"],

  activate(ctx) {
    ctx.provide("blobs", createBlobs(join(homedir(), ".scorel", "blobs")));
  },

  operations: () => ({
    purge_blobs: {
      params: z.strictObject({}),
      run: async (_params, { sessionsDir }) => {
        const { purge } = await import("./purge.ts");
        const home = join(homedir(), ".scorel");
        return purge({
          blobs: join(home, "blobs"),
          sessions: sessionsDir,
          others: [join(home, "trash"), join(home, "artifacts")],
          now: Date.now(),
        });
      },
    },
  }),
});
