import { defineErrors } from "@scorel/kernel";
import { type Clash, clashText } from "@scorel/kit/values/claims";

export const errors = defineErrors({
  COMMAND_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; near: readonly string[]; instead?: string | undefined }) =>
      `There is no command "/${a.name}". ${a.instead !== undefined ? a.instead : a.near.length > 0 ? `Did you mean ${a.near.map((name) => `/${name}`).join(" or ")}?` : "/help lists them."}`,
  },
  BACKGROUND_UNKNOWN: {
    exit: 2,
    text: (a: { id: string }) => `No background work has the number or id "${a.id}". /tasks lists what is running.`,
  },
  BACKGROUND_INVALID: (a: { plugin: string; flaw: string }) =>
    `"backgroundWork" of plugin "${a.plugin}" cannot be used: ${a.flaw}.`,
  COMMAND_INVALID: (a: { name: string; plugin: string; flaw: string }) =>
    `The command "/${a.name}" of plugin "${a.plugin}" cannot be used: ${a.flaw}.`,
  COMMAND_KEY: (a: { name: string; plugin: string; flaw: string }) =>
    `A key of the command "/${a.name}" of plugin "${a.plugin}" is left out: ${a.flaw}.`,
  COMMAND_DUPLICATE: (a: Clash) => clashText(`The command "/${a.name}"`, a),
  COMMAND_SEALED: (a: { name: string; plugin: string; owner: string }) =>
    `Plugin "${a.plugin}" cannot replace "/${a.name}", which guards something; the command of "${a.owner}" is used. Rename yours.`,
  COMMAND_RESULT: (a: { name: string; plugin: string; what: string }) =>
    `The command "/${a.name}" of plugin "${a.plugin}" returned ${a.what}, which is not supported. It may return a string, or { output, data, sessionId, input, pictures, copy, turn, leave }.`,
  COMMAND_FILES: (a: { folder: string; most: number; leftOut: number }) =>
    `${a.folder} has more than ${a.most} command files: ${a.leftOut} of them, the last in alphabetical order, are not used. Remove some, or turn them into skills.`,
  COMMAND_UNREADABLE: (a: { path: string; reason: string }) =>
    `${a.path} cannot be read (${a.reason}), so its commands are not used.`,
  COMMAND_UNUSED: (a: { folder: string; flaws: readonly string[]; more: number }) =>
    `Command files in ${a.folder} are not used: ${a.flaws.join("; ")}${a.more === 0 ? "" : `; and ${a.more} more`}.`,
  COMMAND_BUSY: (a: { name: string }) =>
    `A turn is running, so /${a.name} is not possible now. Wait until the turn ends, or interrupt it (Ctrl-C in a terminal, Stop in the page).`,
  COMMAND_RETRY: (a: { reason: string; redo: string }) =>
    `/retry has taken back the last message, but could not send it again (${a.reason}), nor put it back (${a.redo}). /redo puts it back once that is possible.`,
  COMMAND_CANCELLED: {
    exit: 130,
    text: (a: { name: string; plugin?: string }) =>
      `/${a.name}${a.plugin === undefined ? "" : ` of plugin "${a.plugin}"`} was cancelled.`,
  },
  COMMANDS_INVALID: () => '"commands" must return an object with a command for each name.',
  COMMAND_MARKED: (a: { plugin: string }) =>
    `"markedWords" of plugin "${a.plugin}" cannot be used: each needs a "sign", and a "complete" that returns a list of strings.`,
  COMMAND_CHOICES: (a: { name: string; plugin: string }) =>
    `Plugin "${a.plugin}" could not list the possible arguments of /${a.name}. The log file says why.`,
  COMMAND_ARGUMENTS: {
    exit: 2,
    text: (a: { name: string; problem: string; usage: string }) => `/${a.name}: ${a.problem}. Usage: ${a.usage}`,
  },
  COMMAND_NEEDS: (a: { name: string; what: string; plugin: string }) =>
    `/${a.name} needs ${a.what}: add "${a.plugin}" to "use" in the preset.`,
  COMMAND_NOTHING: (a: { name: string; what: string }) => `/${a.name}: ${a.what}.`,
});
