import type { ProjectionDefinition, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";

export const TOOL_SEARCH = "ToolSearch";

/** Tools that were found in this session, in that order. They stay offered, also after a rewind. */
export const foundTools: ProjectionDefinition<readonly string[]> = {
  over: "log",
  reads: [{ type: "message", containing: `"${TOOL_SEARCH}"` }],
  init: () => [],
  update(known, event: StoredEvent & { message?: ScorelMessage }) {
    const { message } = event;
    if (message?.role !== "tool_result" || message.toolName !== TOOL_SEARCH || message.isError) return known;
    const found = (message.details as { found?: unknown } | undefined)?.found;
    const names = Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
    return [...new Set([...known, ...names])];
  },
};
