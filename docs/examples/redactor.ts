/** Removes e-mail addresses from tool results before they are stored and sent; set other patterns with `[redactor] patterns`. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const email = "[\\w.+-]+@[\\w-]+\\.[\\w.]+";

export default definePlugin({
  id: "redactor",
  name: "Redactor",
  version: "1.0.0",
  config: z.strictObject({ patterns: z.array(z.string()).default([email]) }),
  hooks(ctx) {
    const patterns = ctx.config.patterns.map((pattern) => new RegExp(pattern, "g"));
    const clean = (text: string) => patterns.reduce((left, pattern) => left.replaceAll(pattern, "[redacted]"), text);
    return {
      afterToolCall: {
        // Late: after the layers that add to the result.
        level: "late",
        handler: ({ result }) => ({
          content: result.content.map((block) =>
            block.type === "text" ? { ...block, text: clean(block.text) } : block,
          ),
          // Details are displayed too, so their text is cleaned as well.
          details: JSON.parse(clean(JSON.stringify(result.details ?? null))),
        }),
      },
    };
  },
});
