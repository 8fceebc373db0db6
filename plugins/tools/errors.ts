import { defineErrors } from "@scorel/kernel";
import { type Clash, clashText } from "@scorel/kit/values/claims";

export const errors = defineErrors({
  TOOL_INVALID: (a: { plugin: string; name: string; reason: string }) =>
    `The tool "${a.name}" of plugin "${a.plugin}" was skipped: ${a.reason}.`,
  TOOL_DUPLICATE: (a: Clash) => clashText(`The tool "${a.name}"`, a, `, or add "${a.name}" to [tools] replace`),
  TOOL_NOT_CONTRIBUTED: (a: { key: string; names: string }) =>
    `[tools] ${a.key} names ${a.names}, which no loaded plugin contributes. Correct the name, or load the plugin that contributes it.`,
  TOOL_UNKNOWN: {
    exit: 2,
    text: (a: { names: string; known: string }) => `There is no tool ${a.names}. This session has: ${a.known}.`,
  },
  TOOL_ARGUMENTS: (a: { name: string; issues: string; received: string }) =>
    `Validation failed for tool "${a.name}":\n${a.issues}\n\nReceived arguments:\n${a.received}`,
  TOOL_CANCELLED: (a: { name: string; output: string }) =>
    `${a.name} was cancelled before it finished.${a.output ? ` Its output so far:\n${a.output}` : ""}`,
  TOOL_RESULT: (a: { name: string; reason: string }) =>
    `The details of a result of tool "${a.name}" were dropped, since they cannot be stored: ${a.reason}.`,
  TOOL_RESULT_UNUSABLE: (a: { name: string; what: string }) =>
    `The tool "${a.name}" returned ${a.what}, which the model cannot use. Return text, or { content: [{ type: "text", text: "…" }] }.`,
  TOOL_RESULT_FIELDS: (a: { name: string; fields: readonly string[] }) =>
    `A result of tool "${a.name}" has ${a.fields.join(", ")}, which is not supported. A result may have content, details, isError, terminate and usage.`,
  TOOL_USAGE: (a: { name: string; reason: string }) =>
    `The usage that tool "${a.name}" reports was dropped: ${a.reason}.`,
  TOOL_RESULT_SIZE: (a: { name: string; reason: string }) =>
    `A result of tool "${a.name}" was truncated: ${a.reason}. The tool should write long output to a file and return its path.`,
  TOOL_WRAPPER: (a: { plugin: string; name: string; reason: string }) =>
    `The wrapper of plugin "${a.plugin}" around ${a.name} failed: ${a.reason}`,
  TOOL_WRAPPERS: (a: { plugin: string; tool?: string }) =>
    a.tool === undefined
      ? `"toolWrappers" of plugin "${a.plugin}" must be an object with a function for each tool.`
      : `The wrapper of plugin "${a.plugin}" around "${a.tool}" is not a function; it is left out.`,
  TOOL_ACCESS: (a: { name: string }) =>
    `access of tool "${a.name}" must return "read", "exclusive" or { writes: [paths] }, but did not; its call runs alone.`,
  TOOL_APPROVAL: (a: { name: string }) =>
    `approval of tool "${a.name}" must be "free", "ask" or "always-ask", or return one of them; its call asks.`,
  TOOL_ABOUT: (a: { name: string }) =>
    `about of tool "${a.name}" must return a string; no rule with a pattern allows this call.`,
  TOOL_READS: (a: { name: string }) =>
    `reads of tool "${a.name}" must return a list of paths, but did not; the paths in its arguments are used instead.`,
  TOOL_SCHEMA: (a: { reason: string }) => a.reason,
});
