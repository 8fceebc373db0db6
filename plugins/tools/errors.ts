import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TOOL_INVALID: (a: { plugin: string; name: string; reason: string }) =>
    `Plugin "${a.plugin}" contributes the tool "${a.name}", which is left out: ${a.reason}.`,
  TOOL_DUPLICATE: (a: { plugin: string; name: string; owner: string }) =>
    `Plugin "${a.plugin}" contributes a tool "${a.name}", but "${a.owner}" already does; the first one is used. Rename one of them, or say that this one takes its place: \`replaces: true\` in the tool, or "${a.name}" in [tools] replace.`,
  TOOL_NOT_CONTRIBUTED: (a: { key: string; names: string }) =>
    `[tools] ${a.key} names ${a.names}, which no loaded plugin contributes. Correct the name, or load the plugin that has it.`,
  TOOL_UNKNOWN: {
    exit: 2,
    text: (a: { names: string; known: string }) =>
      `There is no tool ${a.names} to offer. This session has: ${a.known}.`,
  },
  TOOL_ARGUMENTS: (a: { name: string; issues: string; received: string }) =>
    `Validation failed for tool "${a.name}":\n${a.issues}\n\nReceived arguments:\n${a.received}`,
  TOOL_CANCELLED: (a: { name: string; output: string }) =>
    `${a.name} was cancelled before it finished.${a.output ? ` Its output so far:\n${a.output}` : ""}`,
  TOOL_RESULT: (a: { name: string; reason: string }) =>
    `The details of a result of tool "${a.name}" cannot be stored and were dropped: ${a.reason}.`,
  TOOL_RESULT_SIZE: (a: { name: string; reason: string }) =>
    `A result of tool "${a.name}" was cut: ${a.reason}. Write what is long to a file, and answer where it is.`,
  TOOL_ACCESS: (a: { name: string }) =>
    `access of tool "${a.name}" answered neither "read" nor "exclusive" nor { writes: [paths] }; its call runs alone.`,
  TOOL_READS: (a: { name: string }) =>
    `reads of tool "${a.name}" answered no list of paths, so the paths among its arguments count.`,
  TOOL_SCHEMA: (a: { reason: string }) => a.reason,
});
