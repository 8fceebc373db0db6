import { z } from "zod";

/** Schema of the configuration table `[agent]`. */
export const config = z.strictObject({
  idleTimeout: z
    .number()
    .positive()
    .default(300)
    .describe("seconds without output after which a model's reply is aborted"),
  retries: z
    .number()
    .int()
    .min(0)
    .default(3)
    .describe("further attempts when a model is overloaded or unreachable, or its reply was cut off; 0 for none"),
  callsPerReply: z
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe("maximum number of tool calls of one reply that are run; further ones get an error result"),
});
