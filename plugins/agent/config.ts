import { z } from "zod";

/** The table `[agent]`. */
export const config = z.strictObject({
  idleTimeout: z
    .number()
    .positive()
    .default(300)
    .describe("seconds a model may stay silent before its reply is given up"),
});
