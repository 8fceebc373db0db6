import { z } from "zod";

const size = z.number().positive();

/** Schema of the table `[compaction]`. Sizes up to 1 are shares of the model's window, larger ones are tokens. */
export const config = z
  .strictObject({
    layers: z
      .array(z.enum(["results", "summary"]))
      .default(["results", "summary"])
      .describe("what happens automatically: omit old tool results, summarize old parts; /compact always works"),
    turns: z.number().int().min(1).default(3).describe("number of latest turns whose tool results are sent in full"),
    step: z
      .number()
      .int()
      .min(1)
      .default(5)
      .describe("turns by which that boundary moves at once: each move costs a part of the provider's prompt cache"),
    threshold: size
      .default(0.7)
      .describe("context size from which the older part is summarized: a share of the window up to 1, else tokens"),
    keep: size
      .default(0.3)
      .describe("how much of the latest part is kept word for word: a share of the window up to 1, else tokens"),
  })
  .refine(({ keep, threshold }) => keep > 1 !== threshold > 1 || keep < threshold, {
    path: ["keep"],
    message: "must be less than threshold",
  });
export type CompactionConfig = z.output<typeof config>;
