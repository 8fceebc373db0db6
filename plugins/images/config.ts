import { z } from "zod";

export const config = z.strictObject({
  maxSide: z.int().min(64).max(8_000).default(2_000).describe("the most pixels on the longer side of an image"),
  maxBytes: z
    .int()
    .min(10_000)
    .max(20_000_000)
    .default(5_000_000)
    .describe("the most characters of an image in a request, as base64 (three bytes become four characters)"),
  timeout: z.number().positive().max(600).default(30).describe("time limit for converting an image in seconds"),
});

export type Limits = z.output<typeof config>;
