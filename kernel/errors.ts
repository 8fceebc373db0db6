import { defineErrors } from "@scorel/kit/values/coded-error";

/** Ends a text with a full stop, unless it ends with a question mark. */
const ended = (text: string) => (text.endsWith("?") ? text : `${text}.`);

/** The kernel's error codes and messages. */
export const errors = defineErrors({
  EVENT_RESERVED_KEY: (a: { type: string; key: string; plugin: string }) =>
    `Event "${a.type}" of plugin "${a.plugin}" has a payload field "${a.key}", which is reserved for the kernel. Rename the field.`,
  EVENT_DUPLICATE_TYPE: (a: { type: string; plugin: string; owner: string }) =>
    `Plugin "${a.plugin}" registers event "${a.type}", which plugin "${a.owner}" already registered. Prefix the type with the plugin's id.`,
  EVENT_UNKNOWN_TYPE: (a: { type: string }) =>
    `No plugin registered an event type "${a.type}". Add it to the "events" of your plugin, or load the plugin that has it.`,
  EVENT_INVALID: (a: { type: string; issues: string }) => `The payload of event "${a.type}" is invalid: ${a.issues}`,
  EVENT_TRANSIENT: (a: { type: string }) => `Event "${a.type}" is transient: use emit(), not append().`,
  EVENT_PERSISTENT: (a: { type: string }) => `Event "${a.type}" is persistent: use append(), not emit().`,
  EVENT_LISTENED: (a: { type: string }) => `toListener of "${a.type}" must return an object with additional fields.`,
  LOG_BUSY: (a: { type: string }) =>
    `A turn is running, so "${a.type}" is not possible now. Wait until the turn ends, or cancel it.`,
  LOG_HOLD_ENDED: () =>
    "The hold on the path was released and can no longer append. Take a new one with session.hold().",
  LOG_CLOSED: () => "The session is closed; open it again before appending.",
  LOG_DUPLICATE_ID: (a: { id: string }) => `An event with id "${a.id}" is already in the log.`,
  LOG_UNKNOWN_PARENT: (a: { type: string; parentId: string }) =>
    `Event "${a.type}" names the parent "${a.parentId}", which is not in the log.`,
  LOG_DAMAGED: (a: { where: string; reason: string; sessionId: string }) =>
    `A record of the log is lost (${a.where}: ${a.reason}); the rest is used without it. \`scorel session verify ${a.sessionId}\` checks the whole log; restore it from a copy if you have one.`,
  LOG_INVALID_LEAF: (a: { type: string; leaf: string }) =>
    `Event "${a.type}" points at "${a.leaf}", which is not an event of the conversation's tree.`,
  LOG_INVALID_BARRIER: (a: { type: string; after: string }) =>
    `Event "${a.type}" keeps the events after "${a.after}", which is not on this path or precedes the previous summary.`,
  LOG_REENTRANT: () => "A check or projection must not append events: it runs while the log is being written.",
  PLUGIN_INVALID: {
    exit: 2,
    text: (a: { origin: string; reason: string }) =>
      `${a.origin} is not a plugin: ${a.reason}. Export an object with id, name and version.`,
  },
  PLUGIN_DUPLICATE: {
    exit: 2,
    text: (a: { plugin: string; origin: string }) => `Plugin "${a.plugin}" (${a.origin}) is already loaded.`,
  },
  PLUGIN_UNKNOWN: { exit: 2, text: (a: { plugin: string }) => `Plugin "${a.plugin}" is not loaded.` },
  PLUGIN_CONFIG: {
    exit: 2,
    text: (a: { plugin: string; issues: string }) => `The configuration [${a.plugin}] is invalid: ${a.issues}`,
  },
  PLUGIN_MISSING_SERVICE: {
    exit: 2,
    text: (a: { plugin: string; service: string; origin: string; advice?: string }) =>
      `Plugin "${a.plugin}" (${a.origin}) needs the service "${a.service}", which no loaded plugin provides. ${a.advice ?? 'Add its provider to "use".'}`,
  },
  PLUGIN_CIRCLE: {
    exit: 2,
    text: (a: { plugins: string; origin: string }) =>
      `Circular dependency between plugins: ${a.plugins}. Remove one of these from "needs".`,
  },
  PLUGIN_DOUBLE_SERVICE: {
    exit: 2,
    text: (a: { service: string; plugin: string; owner: string; origin: string }) =>
      `The service "${a.service}" is provided by both "${a.owner}" and "${a.plugin}" (${a.origin}). Remove one with "without".`,
  },
  PLUGIN_UNDECLARED_SERVICE: (a: { plugin: string; service: string }) =>
    `Plugin "${a.plugin}" provides "${a.service}" without naming it in "provides".`,
  PLUGIN_PROMISED_SERVICE: (a: { plugin: string; service: string }) =>
    `Plugin "${a.plugin}" names "${a.service}" in "provides" but did not provide it.`,
  PLUGIN_SEALED: (a: { plugin: string; service: string }) =>
    `Plugin "${a.plugin}" cannot wrap the service "${a.service}": it guards something, is made for each plugin, or is given to the session. The service is used unchanged.`,
  PLUGIN_ASYNC_CONTRIBUTION: (a: { name: string }) =>
    `"${a.name}" must return its value synchronously. Do slow work in activate(), and return the result here.`,
  PLUGIN_RETURNED: (a: { plugin: string; what: string }) =>
    `activate() of plugin "${a.plugin}" returned ${a.what}. It may return nothing, a function that undoes its work, or an object with contributions such as "tools", "commands" and "hooks", with "dispose" for the undo.`,
  PLUGIN_CONTRIBUTES: (a: { plugin: string; what: string }) =>
    `Plugin "${a.plugin}" called ctx.contribute() with ${a.what}. Pass the name of a contribution such as "tools", "commands" or "hooks", and its value or a function that returns it.`,
  PLUGIN_CONTRIBUTION: (a: { name: string; wanted: string }) => `"${a.name}" must be ${a.wanted}.`,
  PLUGIN_LIMIT: (a: { plugin: string; where: string; limit: number }) =>
    `Plugin "${a.plugin}" took longer than ${a.limit} ms in ${a.where}; its result is ignored.`,
  PLUGIN_FAILED: (a: { plugin: string; origin: string; where: string; reason: string }) =>
    `Plugin "${a.plugin}" (${a.origin}) failed in ${a.where}: ${a.reason}`,
  HOOK_UNKNOWN: (a: { hook: string; plugin: string; advice?: string }) =>
    `Plugin "${a.plugin}" has a layer on the hook "${a.hook}", which no loaded plugin defines. ${a.advice ?? 'List its owner\'s service in "needs".'}`,
  HOOK_SEVERAL: (a: { plugin: string; reasons: readonly string[] }) =>
    `Plugin "${a.plugin}" has ${a.reasons.length} layers on hooks that cannot be used. ${a.reasons.join(" ")}`,
  HOOK_LAYER: (a: { hook: string; plugin: string; flaws: readonly string[] }) =>
    `Plugin "${a.plugin}" has a layer on the hook "${a.hook}" that cannot be used: ${ended(a.flaws.join("; "))} Pass a function, or an object { handler, level?, critical?, limit? }.`,
  HOOK_DUPLICATE: (a: { hook: string; plugin: string }) =>
    `The hook "${a.hook}" is already defined; plugin "${a.plugin}" cannot define it again.`,
  KERNEL_STOPPING: () => "The session is closing.",
  HOOK_STOPPING: (a: { hook: string; plugin: string }) =>
    `The session is closing, and plugin "${a.plugin}" no longer guards "${a.hook}".`,
  HOOK_CRITICAL: (a: { hook: string; plugin: string; reason: string }) =>
    `The guard of plugin "${a.plugin}" on "${a.hook}" failed, so the action is denied: ${a.reason}`,
  HOOK_LIMIT: (a: { hook: string; plugin: string; limit: number }) =>
    `Plugin "${a.plugin}" took longer than ${a.limit} ms in "${a.hook}"; its result is ignored.`,
  LISTENER_LATE: (a: { plugins: string; limit: number }) =>
    `Listeners of ${a.plugins} did not finish within ${a.limit} ms when the session stopped; it stopped without them.`,
  PROJECTION_ASYNC: (a: { projection: string }) =>
    `The projection "${a.projection}" returned a promise. Its functions must return a state synchronously.`,
  PROJECTION_DUPLICATE: (a: { projection: string; plugin: string; owner: string }) =>
    `Plugin "${a.plugin}" registers the projection "${a.projection}", which plugin "${a.owner}" already registered. Prefix the name with the plugin's id.`,
  PROJECTION_FAILED: (a: { projection: string; plugin: string }) =>
    `The projection "${a.projection}" of plugin "${a.plugin}" failed earlier in this session, so its state is unknown.`,
  PROJECTION_UNKNOWN: (a: { projection: string }) => `No plugin registered a projection "${a.projection}".`,
  SCOPE_DISPOSE_LIMIT: (a: { plugin: string; limit: number }) =>
    `Plugin "${a.plugin}" took longer than ${a.limit} ms in an undo function. Scorel no longer waits for it.`,
  SCOPE_CLOSED: (a: { plugin: string }) => `Plugin "${a.plugin}" is stopped; its last registration was undone at once.`,
});
