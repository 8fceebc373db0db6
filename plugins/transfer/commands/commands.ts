import type { CliCommand, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";

/** Creates the commands `scorel session export` and `scorel session import`. */
export function transferCommands(host: () => HostService | undefined): CliCommand[] {
  const actions = () => import("./actions.ts");
  return [
    {
      noun: "session",
      action: "export",
      args: "<id>",
      completes: "session",
      description: "Write a session as a page to read, or as a log to take elsewhere",
      options: [
        {
          flags: "--format <format>",
          description: "File format; default: the ending of --out, else md",
          values: ["md", "html", "jsonl"],
        },
        { flags: "--out <file>", description: "Write to this file, readable only by you; default: standard output" },
        { flags: "--force", description: "Replace the file if it exists" },
        { flags: "--path", description: "With jsonl: only the current conversation, without other branches" },
      ],
      usesProject: false,
      run: async (invocation: Invocation) => (await actions()).exportTo(host(), invocation),
    },
    {
      noun: "session",
      action: "import",
      args: "<file>",
      description: "Import a session file of Scorel, Claude Code, Codex or pi",
      options: [
        {
          flags: "--format <format>",
          description: "Which program wrote the file",
          values: ["auto", "scorel", "claude-code", "codex", "pi"],
          default: "auto",
        },
        outputOption,
      ],
      run: async (invocation: Invocation) => (await actions()).importFrom(host(), invocation),
    },
  ];
}
