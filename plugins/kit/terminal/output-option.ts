/** The option `--output text|json` of commands that print text for people or one JSON document for programs. */
export const outputOption = {
  flags: "--output <format>",
  description: "How to print",
  values: ["text", "json"],
  default: "text",
} as const;
