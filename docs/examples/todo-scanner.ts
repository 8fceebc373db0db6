/** Adds to the result of an edit the TODO comments in the file, as a reminder for the model; save it in `~/.scorel/extensions`. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "todo-scanner",
  name: "Todo scanner",
  version: "1.0.0",
  needs: ["workspace"],
  hooks: ({ workspace }) => ({
    async afterToolCall({ toolCall, args, result, isError }) {
      if (isError || !["Edit", "Write"].includes(toolCall.name)) return undefined;
      const path = resolve(workspace.cwd, (args as { file_path: string }).file_path);
      const lines = (await readFile(path, "utf8")).split("\n");
      const left = lines.flatMap((line, at) => (/\b(TODO|FIXME)\b/.test(line) ? [`${at + 1}: ${line.trim()}`] : []));
      if (left.length === 0) return undefined;
      const text = `Still to do in this file:\n${left.join("\n")}`;
      return { content: [...result.content, { type: "text", text }] };
    },
  }),
});
