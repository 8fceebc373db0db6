import { homedir } from "node:os";
import { join } from "node:path";
import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";

/** The operation that removes unused blobs. */
export const operations = {
  purge_blobs: {
    summary: "Removes stored file contents to which no session refers.",
    params: () => z.strictObject({}),
    result: async () => (await import("./operation-results.ts")).results.purge_blobs,
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
} satisfies Contributions["operations"];
