/** A checklist that the model writes, people tick off with `/tick <number>` and a rewind takes back; save it in `~/.scorel/extensions`. */
import { definePlugin, type EventOf, isEvent } from "@scorel/kernel";
import { z } from "zod";

const item = z.strictObject({ text: z.string().min(1), state: z.enum(["open", "done"]).default("open") });
const checklist = z.strictObject({ items: z.array(item).min(1), by: z.enum(["model", "user"]).default("model") });
type Items = z.output<typeof checklist>["items"];

declare module "@scorel/kernel" {
  interface Events {
    checklist: z.output<typeof checklist>;
  }
  interface Projections {
    checklist: Items;
  }
}

export default definePlugin({
  id: "checklist",
  name: "Checklist",
  version: "1.0.0",
  events: {
    checklist: {
      schema: checklist,
      // The schema is strict and a list starts nothing, so lists of imported sessions are kept.
      importable: true,
      // The model knows its own lists from its calls. What a person ticks off is joined to a user message before it.
      convertToLlm({ items, by }: EventOf<"checklist">) {
        if (by === "model") return { action: "skip" };
        const content = `The user has changed the checklist:\n${plain(items)}`;
        return { action: "merge_prev", content, otherwise: { role: "user", content, timestamp: 0 } };
      },
      convertToDisplay: ({ items }: EventOf<"checklist">) => ({ display: "list", items, text: plain(items) }),
    },
  },
  projections: {
    checklist: {
      // Along the path to the active leaf: after a rewind the list is as it was there.
      over: "path",
      reads: ["checklist"],
      init: (): Items => [],
      update: (state: Items, event) => (isEvent(event, "checklist") ? event.items : state),
    },
  },
  tools: ({ session }) => [
    {
      name: "Checklist",
      description: "Writes the checklist of this session, in place of the one before.",
      parameters: checklist.pick({ items: true }),
      access: () => "read",
      async execute(_id, { items }: { items: Items }) {
        await session.append("checklist", { items, by: "model" });
        return { content: [{ type: "text", text: plain(items) }] };
      },
    },
  ],
  commands: ({ session }) => ({
    tick: {
      summary: "Tick off an item of the checklist",
      args: z.object({ number: z.coerce.number<string>().int().positive() }),
      async run({ number }: { number: number }) {
        const items = session.projection("checklist");
        if (number > items.length) return `The checklist has ${items.length} items.`;
        const ticked = items.map((each, at) => (at === number - 1 ? { ...each, state: "done" as const } : each));
        await session.append("checklist", { items: ticked, by: "user" });
      },
    },
  }),
});

function plain(items: Items): string {
  return items.map(({ text, state }) => `[${state === "done" ? "x" : " "}] ${text}`).join("\n");
}
