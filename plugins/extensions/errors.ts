import { defineErrors } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";

/** The files that an extension may import, and where to put others. */
const insideOf = (of: "user" | "project" | "preset") => {
  if (of === "user")
    return {
      files: "the files of its package",
      into: "the package, or list it among the dependencies in its package.json",
    };
  if (of === "preset") return { files: "its preset's files", into: "the preset's folder" };
  return { files: "the project's trusted files", into: ".scorel/extensions" };
};

export const errors = defineErrors({
  CONFIG_NO_HOST: {
    exit: 2,
    text: () => 'No host is loaded: the plugin "host" is switched off. Remove it from "without".',
  },
  EXTENSION_FIELDS: (a: { id: string; file: string; fields: readonly { name: string; advice: string }[] }) =>
    `Extension "${a.id}" has ${a.fields.map(({ name, advice }) => `a field "${name}", which is not supported: ${advice}`).join("; and ")} (${a.file})`,
  EXTENSIONS_NAME: {
    exit: 2,
    text: (a: { name: string; reason: string }) => `An extension cannot be named "${a.name}": ${a.reason}.`,
  },
  EXTENSIONS_EXISTS: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} already exists and was not overwritten. Choose another name, or remove it first.`,
  },
  EXTENSIONS_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) => `${a.path} cannot be checked: ${a.reason}.`,
  },
  EXTENSIONS_CONFIG: {
    exit: 2,
    text: (a: { given: string; reason: string }) =>
      `--config ${a.given} cannot be used: ${a.reason}. For example: --load --config city=Rome --config 'days=[1, 2]'.`,
  },
  EXTENSIONS_UNTRUSTED: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} belongs to a project that is not trusted, so it is not run. Read it first, then run this again with --trust.`,
  },
  EXTENSIONS_TSCONFIG: {
    exit: 2,
    text: (a: { path: string; base: string }) =>
      `${a.path} is your own file and was not overwritten. Add this to it: "extends": ${JSON.stringify(a.base)}`,
  },
  EXTENSIONS_LINK: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} is a link, so files written there would end up somewhere else. Replace it with a folder.`,
  },
  EXTENSIONS_NO_TESTS: {
    exit: 2,
    text: (a: { path: string }) =>
      `${a.path} has no tests. Write them into a file such as index.test.ts next to the extension.`,
  },
  EXTENSIONS_NO_TYPES: (a: { path: string }) =>
    `${a.path} is missing: this command was not built with its declarations. Run npm run build, or install Scorel again.`,
  EXTENSIONS_NO_ANSWER: (a: { path: string; reason: string }) =>
    `The process that loads ${a.path} ended without an answer: ${a.reason}`,
  EXTENSION_LOAD: (a: { id: string; where: string; reason: string }) =>
    `Extension "${a.id}" is left out: ${a.reason} (${a.where})`,
  EXTENSION_OUTSIDE: (a: { id: string; where: string; wanted: string; of: "user" | "project" | "preset" }) =>
    `Extension "${a.id}" is left out: it imports "${a.wanted}", which is not among ${insideOf(a.of).files} (${a.where}). Move what it needs into ${insideOf(a.of).into}.`,
  EXTENSION_SHAPE: (a: { id: string; file: string; reason: string }) =>
    `Extension "${a.id}" is left out: ${a.reason} (${a.file})`,
  EXTENSION_CONTRIBUTION: (a: { reason: string }) => a.reason,
  EXTENSION_LATE: (a: { limit: number }) =>
    `it was not loaded within ${a.limit} s: its top level, or the function that it exports, waits for something; wait in activate(), or not at all`,
  EXTENSION_GUARD: (a: { id: string; hooks: readonly string[]; reason: string }) =>
    `Extension "${a.id}" guarded ${a.hooks.join(", ")} when it last ran and does not run now, so what it guarded is denied. ${a.reason} To continue without this guard: scorel trust forget ${shellWord(a.id)}`,
  EXTENSION_LEFT: (a: { what: string }) =>
    `it left something running, which was stopped: ${a.what}. End it in deactivate(), or in the function that activate() returns`,
  EXTENSION_SERVICE: (a: { service: string; reasons: readonly string[] }) =>
    `It provides the service "${a.service}", which other plugins could not use: ${a.reasons.join(", ")}. docs/reference/services.md describes the members that the service must have`,
  EXTENSION_PROCESS: (a: { call: string; by: string | undefined }) =>
    `${a.call} is refused${a.by === undefined ? "" : ` (${a.by})`}: sessions share the process, so no extension may end or suspend it, or change its directory. Throw an error, or call ctx.agent.abort().`,
  PLUGIN_UNNAMED_NEED: (a: { plugin: string; service: string }) =>
    `Plugin "${a.plugin}" uses ctx.${a.service}, but does not name it in "needs". Add "${a.service}" to "needs"; if the plugin can do without it, call ctx.find("${a.service}"), which may return undefined.`,
  PLUGIN_NO_MEMBER: (a: { plugin: string; member: string; instead: string }) =>
    `Plugin "${a.plugin}" uses ctx.${a.member}, which does not exist. Use ${a.instead}.`,
  PLUGIN_START_LIMIT: (a: { plugin: string; limit: number }) =>
    `activate() of plugin "${a.plugin}" did not settle within ${a.limit} ms. Start longer work without waiting for it.`,
  PLUGIN_FLOOD: (a: { plugin: string; where: string; burst: number; perSecond: number; unit: string }) =>
    `Plugin "${a.plugin}" exceeded the limit of ${a.burst.toLocaleString("en")} ${a.unit} at once (and ${a.perSecond.toLocaleString("en")} per second after that), so ${a.where} is refused for a while. Look for a loop, such as a listener that appends an event for each event.`,
  PLUGIN_OLD_NAME: (a: { plugin: string; old: string; now: string }) =>
    `Extension "${a.plugin}" uses "${a.old}", an old name that a later version will not have. Use ${a.now}.`,
  PLUGIN_SWITCHED_OFF: (a: { plugin: string; where: string; failures: number }) =>
    `it failed ${a.failures} times, so ${a.where} of plugin "${a.plugin}" is switched off until the session is opened again; the rest of the plugin runs.`,
  EVENT_LLM: (a: { type: string; reason: string }) =>
    `convertToLlm of "${a.type}" returned something that cannot be used in a context: ${a.reason}.`,
});
