import type {} from "@scorel/cli/contract";
import type {} from "@scorel/gateway/contract";
import type {} from "@scorel/host/contract";
import type { PluginContext } from "@scorel/kernel";
import type {} from "@scorel/web-server/contract";
import { z } from "zod";

export const config = z
  .strictObject({
    idleMinutes: z
      .number()
      .nonnegative()
      .default(30)
      .describe(
        "Minutes without clients, running turns and work in the background after which the host ends; 0: never",
      ),
  })
  .prefault({});

/** The context of this plugin. */
export type DaemonContext = PluginContext<z.infer<typeof config>, "host" | "gateway" | "launch">;
