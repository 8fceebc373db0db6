import { z } from "zod";

const picture = z.object({
  type: z.literal("image"),
  data: z.string(),
  mimeType: z.string(),
  attachment: z.literal(true).optional(),
});
const commandResult = z.strictObject({
  output: z.string().optional(),
  data: z.unknown().optional(),
  sessionId: z.string().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  input: z.string().optional(),
  pictures: z.array(picture).optional(),
  copy: z.string().optional(),
  turn: z.string().optional(),
  leave: z.boolean().optional(),
});
const listedCommand = z.strictObject({
  name: z.string(),
  description: z.string(),
  usage: z.string(),
  plugin: z.string(),
  group: z.string(),
  keys: z.array(z.string()).optional(),
  chooses: z.literal(true).optional(),
  sealed: z.literal(true).optional(),
});
const choice = z.strictObject({
  value: z.string(),
  label: z.string().optional(),
  detail: z.string().optional(),
  preview: z.string().optional(),
});
const completion = z.strictObject({ from: z.number(), values: z.array(z.string()) });
const backgroundItem = z.strictObject({
  id: z.string(),
  title: z.string(),
  since: z.number(),
  sessionId: z.string().optional(),
});

/** The schemas of the operations' results. */
export const results = {
  run_command: commandResult,
  list_commands: z.strictObject({ commands: z.array(listedCommand) }),
  list_choices: z.strictObject({ choices: z.array(choice) }),
  complete_command: completion,
  cancel_commands: z.strictObject({ cancelled: z.array(z.string()) }),
  list_background: z.strictObject({ items: z.array(backgroundItem) }),
  stop_background: z.strictObject({}),
  wait_background: z.strictObject({ reports: z.array(z.string()), running: z.number() }),
};
