import { builtin, custom } from "@scorel/kit/schema/model-table";
import { z } from "zod";

/** An empty table. Its `type` accepts no string, so nothing else matches. */
const none = z.looseObject({ type: z.enum([]).optional() }).refine((table) => Object.keys(table).length === 0, {
  path: ["type"],
  message: 'is missing: write type = "builtin" (a known provider) or type = "custom" (any server)',
});

/** Schema of the table `[model]`. */
export const modelConfig = z.discriminatedUnion("type", [builtin, custom, none]);
export type ModelConfig = z.output<typeof modelConfig>;
export type BuiltinConfig = z.output<typeof builtin>;
export type CustomConfig = z.output<typeof custom>;
