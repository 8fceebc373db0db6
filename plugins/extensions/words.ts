import { nearest } from "@scorel/kit/values/nearest";
import type { KnownWords } from "./contract.ts";
import { hookNames, hookOwners, providers } from "./providers.ts";

/** The services that the loader and the session provide to every plugin. */
export const given: readonly string[] = [
  "workspace",
  "composition",
  "extensions",
  "layers",
  "trust",
  "presetStore",
  "extensionStore",
  "launch",
];

/** The names of contributions that the kernel and shipped plugins collect. */
export const contributions: readonly string[] = [
  "tools",
  "serviceWrappers",
  "toolWrappers",
  "commands",
  "markedWords",
  "backgroundWork",
  "mentionSources",
  "promptParts",
  "cliCommands",
  "folderOptions",
  "completionSources",
  "operations",
  "sessionOptions",
  "displays",
  "providers",
  "childLimits",
  "transports",
  "webRoutes",
];

/** Names that other programs use for fields of a plugin, with the name in Scorel. */
export const otherNames: Readonly<Record<string, string>> = {
  ...{ deps: "needs", dependencies: "needs", requires: "needs", inject: "needs" },
  ...{ setup: "activate", init: "activate", start: "activate", register: "activate", onLoad: "activate" },
  ...{ dispose: "deactivate", teardown: "deactivate", stop: "deactivate", onUnload: "deactivate" },
  ...{ subscriptions: "onEvent", listeners: "onEvent", schema: "config", settings: "config" },
};

/** The names that an extension may use, for finding misspelt ones. */
export const knownWords: KnownWords = {
  fields: [
    ...["id", "name", "version", "scope", "needs", "provides", "replaces", "config", "events", "projections"],
    ...["activate", "deactivate", "hooks", "onEvent", ...contributions],
  ],
  functions: ["activate", "deactivate", "hooks", "onEvent", ...contributions],
  contributions,
  toolFields: [
    ...["name", "label", "description", "parameters", "execute", "approval", "replaces"],
    ...["advertised", "unlisted", "position", "finds", "access", "reads", "about", "prepareArguments", "display"],
  ],
  tapFields: ["handler", "level", "critical", "limit"],
  hooks: hookNames,
  services: [...Object.keys(providers), ...given],
};

/** Advice about a service that no plugin provides. */
export function aboutService(name: string): string {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const where = provider?.scope === "host" ? " in ~/.scorel/config.toml" : "";
  if (provider) return `Add "${provider.id}" to "use"${where}.`;
  const near = nearest(name, knownWords.services, { partly: true });
  return near === undefined ? 'Add its provider to "use".' : `Did you mean "${near}"?`;
}

/** The nearest known name for an unknown key of the object that `activate` returned. */
export function nearestContribution(name: string): string | undefined {
  const names = [...contributions, "hooks", "onEvent", "dispose"];
  return names.includes(name) ? undefined : nearest(name, names);
}

/** Advice about a hook that no loaded plugin defines. */
export function aboutHook(name: string): string {
  if (Object.hasOwn(hookOwners, name)) return `Add "${hookOwners[name]}" to "use".`;
  const near = nearest(name, hookNames, { partly: true });
  if (near !== undefined) return `Did you mean "${near}"?`;
  return `Scorel has the hooks ${hookNames.join(", ")}. For one of another extension, list its owner's service in "needs".`;
}

const inSessions = 'This plugin runs once per process. To run it in each session, remove scope: "host".';

/** Advice for plugins that run once per process. */
export const hostHints = {
  service: (name: string) =>
    providers[name]?.scope === "session" ? `Sessions have it. ${inSessions}` : aboutService(name),
  hook: (name: string) => (hookNames.includes(name) ? `Sessions have it. ${inSessions}` : aboutHook(name)),
  contribution: nearestContribution,
};

/** Advice for plugins that run in each session. */
export const sessionHints = {
  service: aboutService,
  hook: aboutHook,
  contribution: nearestContribution,
};
