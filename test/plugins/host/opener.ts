import type { OperationContext } from "@scorel/host/contract";
import { definePlugin, type Kernel } from "@scorel/kernel";
import { z } from "zod";

declare module "@scorel/host/contract" {
  interface Operations {
    kernel_of: { params: { sessionId: string }; result: { kernel: Kernel } };
  }
}

/** Gives tests access to the kernel of an open session. */
export const opener = definePlugin({
  id: "opener",
  name: "Opener",
  version: "1.0.0",
  scope: "host",
  operations: () => ({
    kernel_of: {
      params: z.strictObject({ sessionId: z.string() }),
      run: async ({ sessionId }, { open }: OperationContext) => ({ kernel: (await open(sessionId)).kernel }),
    },
  }),
});
