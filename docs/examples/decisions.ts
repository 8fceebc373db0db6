/** A tool for the model to record decisions, which are shown as cards; save it in `~/.scorel/extensions`. */
import { definePlugin, type EventOf } from "@scorel/kernel";
import { z } from "zod";

const decision = z.strictObject({ title: z.string().min(1), why: z.string().min(1) });

declare module "@scorel/kernel" {
  interface Events {
    /** A decision and its reason. */
    decision: z.output<typeof decision>;
  }
}

export default definePlugin({
  id: "decisions",
  name: "Decisions",
  version: "1.0.0",
  events: {
    decision: {
      schema: decision,
      // Without `leaf` it is a path event: rewinding the conversation undoes it.
      convertToDisplay: ({ title, why }: EventOf<"decision">) => ({
        display: "card",
        title: `Decided: ${title}`,
        status: "done",
        text: why,
      }),
    },
  },
  tools: ({ session }) => [
    {
      name: "Decide",
      description: "Records a decision of some weight, with the reason for it.",
      parameters: decision,
      access: () => "read",
      async execute(_id, params) {
        await session.append("decision", params);
        return { content: [{ type: "text", text: "Recorded." }] };
      },
    },
  ],
});
