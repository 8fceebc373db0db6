/** Writes a line per tool call to `~/.scorel/audit.jsonl`; save it in `~/.scorel/extensions`. It has no settings. */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "audit-log",
  name: "Audit log",
  version: "1.0.0",
  needs: ["workspace"],
  activate(ctx) {
    const file = join(ctx.workspace.home, ".scorel", "audit.jsonl");
    const started = new Map<string, unknown>();
    ctx.subscribe(async (heard) => {
      const event = heard as typeof heard & Record<string, unknown>;
      if (event.type === "tool_execution_start") started.set(String(event.toolCallId), event.args);
      if (event.type !== "tool_execution_end") return;
      const { sessionId, toolCallId, toolName: tool, durationMs, isError } = event;
      const args = started.get(String(toolCallId));
      started.delete(String(toolCallId));
      const line = { at: new Date().toISOString(), sessionId, tool, args, durationMs, isError };
      await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    });
  },
});
