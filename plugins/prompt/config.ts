import { z } from "zod";

/** Schema of the table `[prompt]`. */
export const config = z.strictObject({
  user: z
    .string()
    .default("")
    .describe("your own words to every agent, part of the system prompt of new sessions")
    .meta({ trust: { kind: "weakens", could: "the model is told this instead of your own words" } }),
});
