import { z } from "zod";

const bytes = (megabytes: number) => megabytes * 1024 * 1024;

/** The table `[checkpoints]`. */
export const config = z.strictObject({
  maxFileBytes: z
    .number()
    .int()
    .min(0)
    .default(bytes(10))
    .describe("bytes of a file above which its content is not kept"),
  maxTurnBytes: z.number().int().min(0).default(bytes(200)).describe("bytes that one turn may add to what is kept"),
  maxFiles: z
    .number()
    .int()
    .min(1)
    .default(100_000)
    .describe("files in a project above which commands are not covered"),
  maxScanMs: z
    .number()
    .min(1)
    .default(300)
    .describe("milliseconds that looking through the project may take, and that a command waits for it"),
});
export type Config = z.output<typeof config>;
