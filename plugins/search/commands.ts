import type { CliCommand, CliOption } from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import type { PluginContext } from "@scorel/kernel";
import type {} from "@scorel/projects/contract";

const output: CliOption = {
  flags: "--output <format>",
  description: "Output format; json prints one object per line",
  values: ["text", "json"],
  default: "text",
};

/** Creates the commands `scorel search` and `scorel usage`. */
export function searchCommands(ctx: Pick<PluginContext, "find">): CliCommand[] {
  return [
    {
      noun: "search",
      args: "<text...>",
      description: "Search the messages, names and titles of all sessions",
      options: [
        { flags: "--case-sensitive", description: "Match case" },
        { flags: "--project <name>", description: "Only in a project: its id, name or directory" },
        { flags: "--limit <n>", description: "Stop after this many hits, at most 1000", default: "50" },
        output,
      ],
      run: async (invocation) => (await import("./actions.ts")).find(ctx, invocation),
    },
    {
      noun: "usage",
      description: "Show what all sessions have spent: calls, tokens, the cached share, US dollars",
      options: [
        { flags: "--since <time>", description: "Since this time: 7d, 12h, 2w, or a day such as 2026-11-01" },
        { flags: "--by <what>", description: "A row for each", values: ["day", "model", "project"], default: "day" },
        { ...output, description: "How to print" },
      ],
      run: async (invocation) => (await import("./actions.ts")).usage(ctx, invocation),
    },
  ];
}
