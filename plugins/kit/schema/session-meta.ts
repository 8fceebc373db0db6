import { z } from "zod";

/** The settings and names of a session: the combined state of its `session_info` events. Plugins may add fields. */
export const sessionMeta = z.looseObject({
  name: z.string().optional(),
  title: z.string().optional(),
  model: z.string().optional(),
  chosenModel: z.string().optional(),
  thinkingLevel: z.string().optional(),
  cwd: z.string().optional(),
  archived: z.boolean().optional(),
});

/** The result of an operation that changes this state: the event, the state after it, and a line for people. */
export const sessionChange = z.strictObject({ eventId: z.string(), meta: sessionMeta, text: z.string() });
