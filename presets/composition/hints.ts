import type { KnownWords } from "@scorel/extensions/contract";
import { nearest } from "@scorel/kit/values/nearest";
import { shipped } from "../catalogue.ts";

/** Which plugin of Scorel provides a service; the test of the catalogue compares this with the plugins. */
export const providers: Readonly<Record<string, string>> = {
  agent: "agent",
  archives: "packages",
  artifacts: "artifacts",
  blobs: "blobs",
  chat: "chat",
  cli: "cli",
  customDisplay: "messages",
  history: "history",
  host: "host",
  images: "images",
  isMessage: "messages",
  logs: "logs",
  mergeMessage: "messages",
  model: "model",
  modelAdmin: "model",
  modelTables: "models",
  models: "models",
  permissions: "permissions",
  projects: "projects",
  prompt: "prompt",
  refs: "runner",
  requests: "requests",
  sandbox: "sandbox",
  secrets: "model",
  skillStore: "skillstore",
  skills: "skills",
  spans: "diagnostics",
  tools: "tools",
  trustQuestion: "trust",
  ui: "requests",
  watch: "watch",
};

/** The services that the loader and the session give to every plugin. */
export const given: readonly string[] = [
  "workspace",
  "composition",
  "extensions",
  "layers",
  "trust",
  "presetStore",
  "launch",
];

/** The native hooks that plugins of Scorel define; the test of the catalogue compares this with the plugins. */
export const hookNames: readonly string[] = [
  "beforeToolCall",
  "approveToolCall",
  "afterToolCall",
  "transformContext",
  "beforeContext",
  "contextOverflow",
  "convertToLlm",
  "systemPrompt",
  "promptSubmit",
];

/** What plugins contribute to each other, as far as shipped ones collect it. */
export const contributions: readonly string[] = [
  "tools",
  "commands",
  "markedWords",
  "promptParts",
  "cliCommands",
  "operations",
  "displays",
];

/** Names that mean something in an extension, for telling slips of the pen. */
export const knownWords: KnownWords = {
  fields: [
    ...["id", "name", "version", "scope", "needs", "provides", "config", "events", "projections"],
    ...["activate", "deactivate", "hooks", "onEvent", ...contributions],
  ],
  functions: ["activate", "deactivate", "hooks", "onEvent", ...contributions],
  contributions,
  toolFields: [
    ...["name", "label", "description", "parameters", "execute", "replaces", "advertised", "unlisted"],
    ...["access", "reads", "prepareArguments", "display"],
  ],
  tapFields: ["handler", "level", "critical", "limit"],
  hooks: hookNames,
  services: [...Object.keys(providers), ...given],
};

/** What to do about a service that nobody provides. */
export function aboutService(name: string): string {
  const id = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const where = id !== undefined && shipped(id)?.scope === "host" ? " in ~/.scorel/config.toml" : "";
  if (id !== undefined) return `Add "${id}" to "use"${where}.`;
  const near = nearest(name, knownWords.services, { partly: true });
  return near === undefined ? 'Add its provider to "use".' : `Did you mean "${near}"?`;
}

/** The contribution that was meant by a misspelt name of what `activate` returned. */
export function nearestContribution(name: string): string | undefined {
  const names = [...contributions, "hooks", "onEvent", "dispose"];
  return names.includes(name) ? undefined : nearest(name, names);
}

/** What to do about a hook that nobody defines. */
export function aboutHook(name: string): string | undefined {
  const near = nearest(name, hookNames, { partly: true });
  return near === undefined || near === name ? undefined : `Did you mean "${near}"?`;
}
