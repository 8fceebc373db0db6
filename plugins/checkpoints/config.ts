import { z } from "zod";

const bytes = (megabytes: number) => megabytes * 1024 * 1024;

/** Trust metadata for these keys: what could happen if an untrusted project set them. */
const fewer = { trust: { kind: "weakens", could: "fewer of the model's changes can be undone" } };

/**
 * A scan in the background may take this many times the limit for which a command waits. The first scan has to examine
 * every file; later ones can only be quick once it has finished.
 */
export const IN_BACKGROUND = 10;

/** The longest time in milliseconds for which a closing session waits for its last scan. */
const LONGEST_CLOSING_MS = 50_000;

/** How many milliseconds a closing session waits for its last scan. */
export function closingMs({ maxScanMs }: Config): number {
  return Math.min(maxScanMs * IN_BACKGROUND, LONGEST_CLOSING_MS);
}

export const config = z.strictObject({
  maxFileBytes: z
    .number()
    .int()
    .min(0)
    .default(bytes(10))
    .describe("the largest file that is stored, in bytes")
    .meta(fewer),
  maxTurnBytes: z
    .number()
    .int()
    .min(0)
    .default(bytes(200))
    .describe("the most bytes that a turn can store")
    .meta(fewer),
  maxFiles: z
    .number()
    .int()
    .min(1)
    .default(200_000)
    .describe("the most files in a project; in larger ones, changes made by commands are not recorded")
    .meta(fewer),
  maxScanMs: z
    .number()
    .min(1)
    .default(3_000)
    .describe(
      "how long a command waits for a scan of the project, in milliseconds; in the background, one may take ten times as long",
    )
    .meta(fewer),
});
export type Config = z.output<typeof config>;
