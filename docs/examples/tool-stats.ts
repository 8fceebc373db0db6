/** `/stats` counts the tool calls of a session and their failures with a projection of its log; save it in `~/.scorel/extensions`. */
import { definePlugin, isEvent } from "@scorel/kernel";

type Stats = Record<string, { calls: number; failed: number }>;

declare module "@scorel/kernel" {
  interface Projections {
    toolStats: Stats;
  }
}

export default definePlugin({
  id: "tool-stats",
  name: "Tool stats",
  version: "1.0.0",
  projections: {
    toolStats: {
      // "log" counts every call; "path" would count only those of the current branch.
      over: "log",
      init: (): Stats => ({}),
      update(state: Stats, event) {
        if (!isEvent(event, "message")) return state;
        const { message } = event;
        if (message.role !== "tool_result") return state;
        const { calls, failed } = state[message.toolName] ?? { calls: 0, failed: 0 };
        return { ...state, [message.toolName]: { calls: calls + 1, failed: failed + (message.isError ? 1 : 0) } };
      },
    },
  },
  commands: ({ session }) => ({
    stats: {
      summary: "Count the tool calls of this session",
      run() {
        const rows = Object.entries(session.projection("toolStats"));
        return rows.map(([tool, { calls, failed }]) => `${tool}: ${calls}, ${failed} failed`).join("\n") || "None yet.";
      },
    },
  }),
});
