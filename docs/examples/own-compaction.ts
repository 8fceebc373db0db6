/** Writes the summary of a long conversation without a model: what the user asked for, and the files that tools changed. Save it in `~/.scorel/extensions`. */
import type {} from "@scorel/compaction/contract";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "own-compaction",
  name: "Own compaction",
  version: "1.0.0",
  config: z.strictObject({ tools: z.array(z.string()).default(["Edit", "Write"]) }),
  hooks: ({ config }) => ({
    beforeCompact({ messages, earlier, instructions }) {
      // With instructions (`/compact keep the decisions`) a model writes the summary instead.
      if (instructions !== undefined) return undefined;
      const asked = messages.flatMap((message) =>
        message.role === "user" ? [`- ${JSON.stringify(message.content).slice(0, 500)}`] : [],
      );
      const files = messages.flatMap((message) =>
        message.role !== "assistant"
          ? []
          : message.content.flatMap((block) =>
              block.type === "toolCall" && config.tools.includes(block.name)
                ? [`- ${String(block.arguments.file_path)}`]
                : [],
            ),
      );
      if (asked.length === 0) return { cancel: "There is nothing that the user asked for." };
      const parts = [
        ["Asked for:", ...asked],
        ["Changed files:", ...new Set(files)],
      ];
      const lines = parts.flatMap((part) => (part.length > 1 ? part : []));
      return { summary: [earlier, ...lines].filter((line) => line !== undefined).join("\n") };
    },
  }),
});
