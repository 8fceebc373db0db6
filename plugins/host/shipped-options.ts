// Generated from the plugins' `sessionOptions` by `npm run docs`; do not edit.

import type { SessionOption } from "@scorel/workspace/contract";

/** The options of sessions that plugins of Scorel contribute, known without loading one. */
export const shippedOptions: readonly SessionOption[] = [
  {
    key: "model",
    kind: "text",
  },
  {
    key: "thinking",
    kind: "text",
    flag: {
      flags: "--thinking <level>",
      description: "How hard the model thinks, now and in later runs of the session",
      values: ["off", "minimal", "low", "medium", "high", "xhigh"],
    },
  },
  {
    key: "appendSystemPrompt",
    kind: "text",
    flag: {
      flags: "--append-system-prompt <text>",
      description: "Append this to the system prompt",
    },
  },
  {
    key: "tools",
    kind: "texts",
    flag: {
      flags: "--tools <names>",
      description: "Offer only these tools, for example Read,Grep",
    },
  },
  {
    key: "allowWrite",
    kind: "texts",
    widens: true,
  },
  {
    key: "environment",
    kind: "texts",
    widens: true,
  },
  {
    key: "attending",
    kind: "switch",
  },
  {
    key: "permission",
    kind: ["ask", "edits", "full", "plan"],
    flag: {
      flags: "--permission <mode>",
      description: "What runs without asking: ask, edits (of files), full, plan (only reading)",
    },
    short: {
      flag: {
        flags: "--yes",
        description: "Run everything without asking, like --permission full",
      },
      value: "full",
    },
    setting: "permissions.mode",
    widens: ["ask", "edits", "full"],
  },
  {
    key: "sandbox",
    kind: ["auto", "bubblewrap", "docker", "podman", "local"],
    flag: {
      flags: "--sandbox <executor>",
      description: "Sandbox for programs of skills; local: none",
    },
    setting: "sandbox.executor",
    widens: ["local"],
  },
  {
    key: "mcpServers",
    kind: "texts",
    widens: true,
  },
];
