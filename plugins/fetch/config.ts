import { z } from "zod";

export const config = z.strictObject({
  timeout: z
    .number()
    .positive()
    .max(600)
    .default(30)
    .describe("time limit for fetching a page, and at most 10 more for converting it, in seconds"),
  maxBytes: z
    .int()
    .min(10_000)
    .max(50_000_000)
    .default(5_000_000)
    .describe("the most bytes that are read of a page; the rest is left out"),
});

export type FetchConfig = z.output<typeof config>;
