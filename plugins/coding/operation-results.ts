import { z } from "zod";

/** What the operations of this plugin return. */
export const results = {
  run_shell: z.strictObject({ eventId: z.string() }),
  end_shell: z.strictObject({ ended: z.boolean() }),
};
