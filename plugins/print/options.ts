import type { CliOption } from "@scorel/cli/contract";

/** Options that only `-p` understands, by the name that its parsed value has. */
export const printOnly: Readonly<Record<string, CliOption>> = {
  output: { flags: "--output <format>", description: "What goes to stdout", values: ["text", "json", "events"] },
  outputSchema: { flags: "--output-schema <file>", description: "The answer is JSON that fits this JSON schema" },
  image: { flags: "--image <file>", description: "An image that belongs to the prompt", repeatable: true },
  maxRounds: { flags: "--max-rounds <n>", description: "Stop after so many model calls" },
  maxCost: { flags: "--max-cost <usd>", description: "Stop when this much is spent" },
  timeout: { flags: "--timeout <seconds>", description: "Stop after this time" },
  noSession: { flags: "--no-session", description: "Keep the session in memory only" },
  fork: {
    flags: "--fork <id>",
    description: "Go on with a copy of this session; <id>@<event>: of its beginning, up to there",
  },
};

/** How a session works, whatever the face. */
const settings: readonly CliOption[] = [
  {
    flags: "--thinking <level>",
    description: "How hard the model thinks",
    values: ["off", "minimal", "low", "medium", "high", "xhigh"],
  },
  {
    flags: "--permission <mode>",
    description: "What runs without a question: ask, edits (of files), full, plan (only reading)",
    values: ["ask", "edits", "full", "plan"],
  },
  { flags: "--yes", description: "Run everything without a question, as --permission full" },
  {
    flags: "--sandbox <executor>",
    description: "What programs of skills run in; local: in nothing",
    values: ["auto", "bubblewrap", "docker", "podman", "local"],
  },
  { flags: "--tools <names>", description: "Offer only these tools, as in Read,Grep" },
  { flags: "--append-system-prompt <text>", description: "Put this at the end of the system prompt" },
];

/** The options of `scorel` itself. */
export const options: readonly CliOption[] = [
  {
    flags: "-p, --print <prompt>",
    description: "Answer one prompt and exit; piped input is appended, @file attaches a file",
  },
  ...Object.values(printOnly).map((option) => ({ ...option, description: `With -p: ${lowered(option.description)}` })),
  { flags: "--session <id>", description: "Go on with this session; the beginning of its id is enough" },
  { flags: "--continue", description: "Go on with the latest session of this directory" },
  ...settings,
  { flags: "--watch", description: "Reload the session when its extensions, presets or configuration change" },
];

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
