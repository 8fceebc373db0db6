// Generated from the plugins by `npm run docs`; do not edit.

/** The plugin of Scorel that provides a service, and where it runs. */
export const providers: Readonly<Record<string, { id: string; scope: "host" | "session" }>> = {
  agent: { id: "agent", scope: "session" },
  archives: { id: "packages", scope: "host" },
  artifacts: { id: "artifacts", scope: "host" },
  blobs: { id: "blobs", scope: "host" },
  chat: { id: "chat", scope: "host" },
  cli: { id: "cli", scope: "host" },
  customDisplay: { id: "messages", scope: "session" },
  history: { id: "history", scope: "host" },
  host: { id: "host", scope: "host" },
  images: { id: "images", scope: "session" },
  isMessage: { id: "messages", scope: "session" },
  logs: { id: "logs", scope: "host" },
  mergeMessage: { id: "messages", scope: "session" },
  model: { id: "model", scope: "session" },
  modelAdmin: { id: "model", scope: "session" },
  modelTables: { id: "models", scope: "host" },
  models: { id: "models", scope: "host" },
  permissions: { id: "permissions", scope: "session" },
  projects: { id: "projects", scope: "host" },
  prompt: { id: "prompt", scope: "session" },
  refs: { id: "runner", scope: "session" },
  requests: { id: "requests", scope: "session" },
  sandbox: { id: "sandbox", scope: "session" },
  secrets: { id: "model", scope: "session" },
  skillStore: { id: "skillstore", scope: "host" },
  skills: { id: "skills", scope: "session" },
  spans: { id: "diagnostics", scope: "session" },
  tools: { id: "tools", scope: "session" },
  trustQuestion: { id: "trust", scope: "host" },
  ui: { id: "requests", scope: "session" },
  watch: { id: "watch", scope: "host" },
};

/** The native hooks that plugins of Scorel define. */
export const hookNames: readonly string[] = [
  "beforeToolCall",
  "approveToolCall",
  "afterToolCall",
  "beforeContext",
  "transformContext",
  "contextOverflow",
  "systemPrompt",
  "convertToLlm",
  "promptSubmit",
];
