import { z } from "zod";

/** The schemas of the results of this plugin's operations, by operation. */
export const results = {
  run_shell: z.strictObject({ eventId: z.string() }),
  end_shell: z.strictObject({ ended: z.boolean() }),
};
