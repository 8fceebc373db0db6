import { z } from "zod";

const sessionMeta = z.looseObject({
  name: z.string().optional(),
  title: z.string().optional(),
  model: z.string().optional(),
  chosenModel: z.string().optional(),
  thinkingLevel: z.string().optional(),
  cwd: z.string().optional(),
});

/** The schemas of what the operations return. */
export const results = {
  set_thinking: z.strictObject({ eventId: z.string(), meta: sessionMeta, text: z.string() }),
};
