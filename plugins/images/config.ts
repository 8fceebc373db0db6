import { z } from "zod";

export const config = z.strictObject({
  maxSide: z.int().min(64).max(8_000).default(2_000).describe("pixels that the longer side of an image may have"),
  maxBytes: z
    .int()
    .min(10_000)
    .max(20_000_000)
    .default(5_000_000)
    .describe("characters that an image may take in a request, where three bytes make four"),
  timeout: z.number().positive().max(600).default(30).describe("seconds that changing an image may take"),
});

export type Limits = z.output<typeof config>;
