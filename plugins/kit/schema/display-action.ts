import { z } from "zod";

/** The form of a `DisplayAction` (in the contract of plugin `messages`), for results of operations that contain one. */
export type Display =
  | z.infer<typeof bubble>
  | z.infer<typeof notice>
  | z.infer<typeof marker>
  | Card
  | z.infer<typeof badge>
  | z.infer<typeof fold>
  | z.infer<typeof diff>
  | z.infer<typeof list>
  | z.infer<typeof hidden>;

export interface Card {
  display: "card";
  title: string;
  status: "running" | "done" | "error";
  text: string;
  body?: Display[] | undefined;
  session?: string | undefined;
}

const text = z.string();
const bubble = z.object({
  display: z.literal("bubble"),
  role: z.enum(["user", "assistant", "system"]),
  text,
  thinking: text.optional(),
  label: text.optional(),
  partial: z.boolean().optional(),
  interrupted: z.boolean().optional(),
});
const notice = z.object({ display: z.literal("notice"), level: z.enum(["info", "warning", "error"]), text });
const marker = z.object({ display: z.literal("marker"), text, target: text.optional() });
const badge = z.object({ display: z.literal("badge"), text });
const fold = z.object({ display: z.literal("fold"), title: text, text });
const diff = z.object({ display: z.literal("diff"), path: text, text });
const state = z.enum(["open", "active", "done"]);
const list = z.object({
  display: z.literal("list"),
  title: text.optional(),
  items: z.array(z.object({ text, state: state.optional() })),
  text,
});
const hidden = z.object({ display: z.literal("hidden") });
const card = z.object({
  display: z.literal("card"),
  title: text,
  status: z.enum(["running", "done", "error"]),
  text,
  body: z.array(z.lazy(() => displayAction)).optional(),
  session: text.optional(),
});

/** How an event is displayed. */
export const displayAction: z.ZodType<Display> = z.union([
  bubble,
  notice,
  marker,
  card,
  badge,
  fold,
  diff,
  list,
  hidden,
]);
