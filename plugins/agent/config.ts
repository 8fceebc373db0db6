import { z } from "zod";

/** Schema of the configuration table `[agent]`. */
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
  callsPerReply: z
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe("calls of one reply that are run; those beyond are answered with an error that the model can act on"),
});
