import type { AnyPlugin } from "@scorel/kernel";

/** A shipped plugin: its scope, which is known without loading it, and how to load it. */
export interface Shipped {
  scope: "host" | "session";
  load(): Promise<{ default: AnyPlugin }>;
  /** Enforces limits that the user sets on the model. A project can neither leave it out nor run tools without it. */
  guard?: true;
}

/** Every shipped plugin by id. Each `import` is spelled out so that the bundler gives each plugin its own lazy file. */
export const catalogue: Readonly<Record<string, Shipped>> = {
  messages: { scope: "session", load: () => import("@scorel/messages") },
  model: { scope: "session", load: () => import("@scorel/model") },
  agent: { scope: "session", load: () => import("@scorel/agent") },
  prompt: { scope: "session", load: () => import("@scorel/prompt") },
  images: { scope: "session", load: () => import("@scorel/images") },
  diagnostics: { scope: "session", load: () => import("@scorel/diagnostics") },
  tools: { scope: "session", load: () => import("@scorel/tools") },
  commands: { scope: "session", load: () => import("@scorel/commands") },
  compaction: { scope: "session", load: () => import("@scorel/compaction") },
  mentions: { scope: "session", load: () => import("@scorel/mentions") },
  local: { scope: "session", load: () => import("@scorel/local") },
  coding: { scope: "session", load: () => import("@scorel/coding") },
  requests: { scope: "session", load: () => import("@scorel/requests"), guard: true },
  fetch: { scope: "session", load: () => import("@scorel/fetch") },
  permissions: { scope: "session", load: () => import("@scorel/permissions"), guard: true },
  checkpoints: { scope: "session", load: () => import("@scorel/checkpoints") },
  runner: { scope: "session", load: () => import("@scorel/runner") },
  sandbox: { scope: "session", load: () => import("@scorel/sandbox") },
  logs: { scope: "host", load: () => import("@scorel/logs") },
  host: { scope: "host", load: () => import("@scorel/host") },
  gateway: { scope: "host", load: () => import("@scorel/gateway") },
  socket: { scope: "host", load: () => import("@scorel/socket") },
  "web-server": { scope: "host", load: () => import("@scorel/web-server") },
  ws: { scope: "host", load: () => import("@scorel/ws") },
  http: { scope: "host", load: () => import("@scorel/http") },
  web: { scope: "host", load: () => import("@scorel/web") },
  ssh: { scope: "host", load: () => import("@scorel/ssh") },
  relay: { scope: "host", load: () => import("@scorel/relay") },
  daemon: { scope: "host", load: () => import("@scorel/daemon") },
  cli: { scope: "host", load: () => import("@scorel/cli") },
  print: { scope: "host", load: () => import("@scorel/print") },
  acp: { scope: "host", load: () => import("@scorel/acp") },
  chat: { scope: "host", load: () => import("@scorel/chat") },
  demo: { scope: "host", load: () => import("@scorel/demo") },
  models: { scope: "host", load: () => import("@scorel/models") },
  inspect: { scope: "host", load: () => import("@scorel/inspect") },
  doctor: { scope: "host", load: () => import("@scorel/doctor") },
  trust: { scope: "host", load: () => import("@scorel/trust") },
  history: { scope: "host", load: () => import("@scorel/history") },
  terminal: { scope: "host", load: () => import("@scorel/terminal") },
  titles: { scope: "session", load: () => import("@scorel/titles") },
  subagents: { scope: "session", load: () => import("@scorel/subagents") },
  buffers: { scope: "session", load: () => import("@scorel/buffers") },
  mcp: { scope: "session", load: () => import("@scorel/mcp") },
  projects: { scope: "host", load: () => import("@scorel/projects") },
  worktrees: { scope: "host", load: () => import("@scorel/worktrees") },
  search: { scope: "host", load: () => import("@scorel/search") },
  transfer: { scope: "host", load: () => import("@scorel/transfer") },
  extensions: { scope: "host", load: () => import("@scorel/extensions") },
  watch: { scope: "host", load: () => import("@scorel/watch") },
  packages: { scope: "host", load: () => import("@scorel/packages") },
  skills: { scope: "session", load: () => import("@scorel/skills") },
  skillbook: { scope: "host", load: () => import("@scorel/skillbook") },
  skillstore: { scope: "host", load: () => import("@scorel/skillstore") },
  "mcp-server": { scope: "host", load: () => import("@scorel/mcp-server") },
  "mcp-admin": { scope: "host", load: () => import("@scorel/mcp-admin") },
  artifacts: { scope: "host", load: () => import("@scorel/artifacts") },
  blobs: { scope: "host", load: () => import("@scorel/blobs") },
};

/** The ids of the shipped plugins that enforce the user's limits on the model. */
export const guards: readonly string[] = Object.keys(catalogue).filter((id) => catalogue[id]?.guard);

/** Tables from older documentation whose plugin is not shipped. They are accepted with a notice and ignored. */
export const unshipped: readonly string[] = ["channels"];

/** The shipped plugin of this id, if there is one. */
export function shipped(id: string): Shipped | undefined {
  return Object.hasOwn(catalogue, id) ? catalogue[id] : undefined;
}

/** Milliseconds that reading and running a plugin's files took, and for an extension, compiling them. */
export const loadTimes = new WeakMap<AnyPlugin, number>();

/** Loads the shipped plugins among these ids, in this order. One at a time, so that each load time is measured separately. */
export async function loadShipped(ids: readonly string[]): Promise<Map<string, AnyPlugin>> {
  const plugins = new Map<string, AnyPlugin>();
  for (const id of ids) {
    const began = performance.now();
    const plugin = (await shipped(id)?.load())?.default;
    if (!plugin) continue;
    plugins.set(plugin.id, plugin);
    // Only the first call measures loading. Later ones get the loaded module.
    if (!loadTimes.has(plugin)) loadTimes.set(plugin, performance.now() - began);
  }
  return plugins;
}
