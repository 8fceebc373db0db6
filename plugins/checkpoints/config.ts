import { z } from "zod";

const bytes = (megabytes: number) => megabytes * 1024 * 1024;

/** Trust metadata for these keys: what could happen if an untrusted project set them. */
const fewer = { trust: { kind: "weakens", could: "less of what a model changes can be put back" } };

export const config = z.strictObject({
  maxFileBytes: z
    .number()
    .int()
    .min(0)
    .default(bytes(10))
    .describe("bytes of a file above which its content is not kept")
    .meta(fewer),
  maxTurnBytes: z
    .number()
    .int()
    .min(0)
    .default(bytes(200))
    .describe("bytes that one turn may add to what is kept")
    .meta(fewer),
  maxFiles: z
    .number()
    .int()
    .min(1)
    .default(200_000)
    .describe("files in a project above which commands are not covered")
    .meta(fewer),
  maxScanMs: z
    .number()
    .min(1)
    .default(3_000)
    .describe("milliseconds of work that a look through the project may take, and that a command waits for it")
    .meta(fewer),
});
export type Config = z.output<typeof config>;
