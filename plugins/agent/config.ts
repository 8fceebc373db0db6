import { z } from "zod";

/** The table `[agent]`. */
export const config = z.strictObject({
  idleTimeout: z
    .number()
    .positive()
    .default(300)
    .describe("seconds a model may stay silent before its reply is given up"),
  retries: z
    .number()
    .int()
    .min(0)
    .default(3)
    .describe("further attempts when a model is overloaded or out of reach, or its reply was cut; 0 for none"),
});
