import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SUBAGENT_CANCELLED: (a: { sessionId: string }) =>
    `Somebody cancelled the subagent (session ${a.sessionId}) before its work was done. Ask the user how to continue.`,
  SUBAGENT_DEFINITION: (a: { file: string; reason: string }) =>
    `The agent definition ${a.file} is not used: ${a.reason}. Correct the file, and open the session again or type /reload.`,
  SUBAGENT_FAILED: (a: { sessionId: string; reason: string }) =>
    `The subagent (session ${a.sessionId}) failed: ${a.reason}`,
  SUBAGENT_NO_WORKTREES: () =>
    "A subagent in its own worktree needs the plugin worktrees, which is not loaded. Start it without isolation.",
  SUBAGENT_MODE: (a: { agent: string; mode: string }) =>
    `The agent "${a.agent}" has to work in the permission mode ${a.mode}, which needs the plugin permissions. Use another agent, or omit "agent".`,
  SUBAGENT_NO_TOOLS: (a: { agent: string; tools: readonly string[] }) =>
    `This session has none of the tools of the agent "${a.agent}" (${a.tools.join(", ")}). Use another agent, or do the work yourself.`,
  SUBAGENT_SILENT: (a: { sessionId: string }) =>
    `The subagent (session ${a.sessionId}) ended without a report. Do the work yourself, or ask for a report in the prompt.`,
  SUBAGENT_SKILLS: (a: { agent: string; skills: readonly string[] }) =>
    `The agent "${a.agent}" needs skills that this session does not have: ${a.skills.join(", ")}. Use another agent, or omit "agent".`,
  SUBAGENT_TOO_MANY: (a: { parallel: number }) =>
    `${a.parallel} ${a.parallel === 1 ? "subagent is" : "subagents are"} already working, so no other can start in the background. Wait for a report, or start it without "background".`,
  SUBAGENT_TOOLS: (a: { agent: string; file: string; tools: readonly string[] }) =>
    `The agent "${a.agent}" (${a.file}) names tools that this session does not have: ${a.tools.join(", ")}. It works without them. If a name is misspelt, correct the file.`,
  SUBAGENT_UNKNOWN: (a: { agent: string; near: string | undefined; known: readonly string[] }) =>
    `There is no agent "${a.agent}". ${a.near === undefined ? "" : `Did you mean "${a.near}"? `}Available agents: ${a.known.join(", ")}. Without "agent", a subagent works with your tools.`,
});
