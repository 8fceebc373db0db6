import type { DisplayAction } from "@scorel/kernel";

/** The displays, the question and the outputs of the extension. */
export interface Drawn {
  actions: readonly DisplayAction[];
  question: { title: string; choices: readonly string[]; details: readonly DisplayAction[] };
  /** The results of its tool, one text for each call. */
  outputs: readonly string[];
}

/**
 * The source of an extension that shows texts in every form: `/draw` with the number of a display or for all of them,
 * `/ask`, and the tool `Show`.
 */
export const drawingExtension = (drawn: Drawn) => `import { z } from "zod";

const { actions, question, outputs } = ${JSON.stringify(drawn)};
let calls = 0;

export default {
  id: "drawing",
  name: "Drawing",
  version: "1.0.0",
  needs: ["ui"],
  events: { drawing: { schema: z.object({ action: z.any() }), convertToDisplay: ({ action }) => action } },
  tools: () => [
    {
      name: "Show",
      description: "Shows a text.",
      parameters: z.object({ text: z.string() }),
      access: () => "read",
      approval: "free",
      execute: async () => ({ content: [{ type: "text", text: outputs[calls++] ?? "" }] }),
    },
  ],
  commands: ({ session, ui }) => ({
    draw: {
      summary: "Draw everything",
      async run(args) {
        for (const action of args === "" ? actions : [actions[Number(args)]]) await session.append("drawing", { action });
      },
    },
    ask: {
      summary: "Ask a question",
      async run() {
        const choices = question.choices.map((label, at) => ({ value: "v" + at, label }));
        void ui.select(question.title, choices, { details: question.details }).catch(() => {});
      },
    },
  }),
};
`;
