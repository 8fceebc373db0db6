import { z } from "zod";

/** The schemas of what the operations return. */
export const results = {
  purge_blobs: z.strictObject({ removed: z.number(), bytes: z.number(), kept: z.number() }),
};
