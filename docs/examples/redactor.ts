/** Removes e-mail addresses from prompts, replies and tool results before they are stored and sent; set other patterns with `[redactor] patterns`. */
import type { StoreProposal } from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const email = "[\\w.+-]+@[\\w-]+\\.[\\w.]+";

export default definePlugin({
  id: "redactor",
  name: "Redactor",
  version: "1.1.0",
  config: z.strictObject({ patterns: z.array(z.string()).default([email]) }),
  hooks(ctx) {
    const patterns = ctx.config.patterns.map((pattern) => new RegExp(pattern, "g"));
    const clean = (text: string) => patterns.reduce((left, pattern) => left.replaceAll(pattern, "[redacted]"), text);
    // Each text on its own: in JSON, a pattern could also match part of an escape such as \n.
    const cleanAll = (value: unknown): unknown => {
      if (typeof value === "string") return clean(value);
      if (Array.isArray(value)) return value.map(cleanAll);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleanAll(each)]));
    };
    const cleanBlocks = <B extends readonly object[]>(blocks: B) =>
      blocks.map((block) => {
        // Images are data, and a signed thought must stay as its model signed it.
        const { type, text, arguments: args } = block as { type: string; text?: string; arguments?: object };
        if (type === "text") return { ...block, text: clean(text ?? "") };
        return type === "toolCall" ? { ...block, arguments: cleanAll(args) } : block;
      }) as object as B;
    return {
      beforeStore: {
        // Without it nothing is stored. Late: after the layers that add something.
        critical: true,
        level: "late",
        handler: ({ message }: StoreProposal) => ({
          content: typeof message.content === "string" ? clean(message.content) : cleanBlocks(message.content),
          // Details are displayed too, so their text is cleaned as well.
          ...(message.role === "tool_result" && {
            details: cleanAll(message.details ?? null),
          }),
        }),
      },
    };
  },
});
