/** A tool that counts the days between two dates, with a zod schema; save it in `~/.scorel/extensions`. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const parameters = z.object({
  from: z.iso.date().describe("YYYY-MM-DD"),
  to: z.iso.date().describe("YYYY-MM-DD"),
});

export default definePlugin({
  id: "days-between",
  name: "Days between",
  version: "1.0.0",
  tools: () => [
    {
      name: "DaysBetween",
      description: "Counts the days from one date to another.",
      parameters,
      access: () => "read",
      async execute(_id, { from, to }: z.output<typeof parameters>) {
        const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
        return { content: [{ type: "text", text: `${days} days` }] };
      },
      display: ({ from, to }) => ({ display: "card", title: `Days from ${from} to ${to}`, status: "done", text: "" }),
    },
  ],
});
