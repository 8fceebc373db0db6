import { defineErrors } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";

export const errors = defineErrors({
  SHELL_MANY: (a: { running: number }) =>
    `${a.running} shell lines are running, which is the maximum. Wait until one ends, or stop one.`,
  SHELL_ENDED: () => "The shell line was ended by the user.",
  PATH_INVALID: (a: { path: string; reason: string }) =>
    `The path ${JSON.stringify(a.path)} cannot be used: ${a.reason}.`,
  PATH_CONTROL: (a: { path: string; dir?: string | undefined }) =>
    `${a.path} controls the agent or git, so it was not written. Ask the user to change it${a.dir === undefined ? "." : `, or to start scorel with --allow-write ${a.dir}`}`,
  PATH_OUTSIDE: (a: { path: string; root: string; dir: string }) =>
    `${a.path} is outside of the project ${a.root}, so it was not written. Choose a path inside, or ask the user to start scorel with --allow-write ${a.dir}`,
  PATH_KEYS: (a: { path: string }) =>
    `${a.path} contains Scorel's own keys, which tools cannot read. Continue without them.`,
  FILE_MISSING: (a: { path: string; near: string }) =>
    `${a.path} does not exist.${a.near ? ` Did you mean ${a.near}?` : " Find it with Glob."}`,
  FILE_KIND: (a: { path: string; kind: string; hint: string }) =>
    `${a.path} is a ${a.kind}, not a regular file. ${a.hint}`,
  FILE_BINARY: (a: { path: string; kind: string; hint: string }) => `${a.path} is ${a.kind}. ${a.hint}`,
  FILE_TOO_LARGE: (a: { path: string; bytes: number; limit: number }) =>
    `${a.path} has ${a.bytes} bytes; at most ${a.limit} can be read at once. Search it with Grep, or read a part with Bash (sed -n, head -c).`,
  FILE_OFFSET: (a: { path: string; offset: string; total: number }) =>
    `Offset ${a.offset} is past the end of ${a.path}, which has ${a.total} lines.`,
  FILE_NO_ROOM: (a: { path: string }) =>
    `The context is nearly full, so ${a.path} was not read. Finish or summarize first.`,
  FILE_STALE: (a: { path: string }) => `${a.path} has changed since you read it. Read it again, then repeat the call.`,
  FILE_MOVED: (a: { path: string }) =>
    `${a.path} was replaced by another folder or a link after the call was approved. Nothing was changed. Check it and try again.`,
  FILE_SWAPPED: (a: { path: string }) =>
    `${a.path} was replaced after the call was approved, so it was not read. Another program is changing it; check it and try again.`,
  FILE_ACCESS: (a: { path: string; reason: string }) => `${a.path}: ${a.reason}. Nothing was changed.`,
  EDIT_UNREAD: (a: { path: string; lines: string; offset: string }) =>
    `You have not read ${a.lines} of ${a.path}, which this edit changes. Read from offset ${a.offset} first.`,
  EDIT_EMPTY: () => "old_string is empty. Pass the text to replace, or use Write to create a file.",
  EDIT_IDENTICAL: () => "old_string and new_string are the same, so there is nothing to change.",
  EDIT_NOT_FOUND: (a: { path: string; hint: string }) => `old_string was not found in ${a.path}. ${a.hint}`,
  EDIT_MANY: (a: { path: string; most: number }) =>
    `old_string occurs over ${a.most} times in ${a.path}, which is more than an edit can replace. Use Bash (sed).`,
  EDIT_AMBIGUOUS: (a: { path: string; count: string; lines: string }) =>
    `old_string occurs ${a.count} times in ${a.path} (lines ${a.lines}). Add surrounding lines to make it unique, or set replace_all.`,
  EDIT_ENCODING: (a: { path: string; character: string }) =>
    `${a.path} is in Latin-1, which cannot represent ${JSON.stringify(a.character)} in new_string. Use other characters, or convert the file with Bash (iconv).`,
  WRITE_UNREAD: (a: { path: string; lines: string; offset: string }) =>
    `${a.path} exists, and you have not read ${a.lines} of it. Read from offset ${a.offset} before replacing it, or use Edit.`,
  WRITE_SECRET: (a: { path: string }) =>
    `${a.path} contains a secret that you were not shown, and replacing the file would delete it. Change the other parts with Edit.`,
  EDIT_SECRET: (a: { path: string }) =>
    `old_string includes part of a secret in ${a.path} that you were not shown ([redacted]), so nothing was changed. Change the other parts, or ask the user to change the secret.`,
  BASH_NO_SANDBOX: () =>
    "[tools.bash] sandbox requires the plugin `sandbox`, which is not loaded, so nothing was run. Add it to `use`, or remove the setting.",
  BASH_PLACEHOLDERS: (a: { root: string; reason: string }) =>
    `The control files of ${a.root} cannot be protected from sandboxed commands: ${a.reason}`,
  BASH_CWD: (a: { cwd: string; reason: string }) =>
    `The command did not run: its working directory ${a.cwd} ${a.reason}.`,
  BASH_HOME_GONE: (a: { cwd: string }) =>
    `The command did not run: ${a.cwd}, in which this session works, does not exist. If it has moved, the user can say where it is: scorel project move ${shellWord(a.cwd)} NEW-DIRECTORY`,
  BASH_SANDBOX_ELSEWHERE: () =>
    "[tools.bash] sandbox confines commands on this computer, but an extension runs them elsewhere, so nothing was run. Confine them there, and remove the setting.",
  BASH_SPAWN: (a: { reason: string }) => `Starting the command failed: ${a.reason}.`,
  BASH_OUTPUT_UNSTORED: (a: { reason: string }) =>
    `The output was not kept, because a plugin could not decide which parts of it may be stored (beforeStore): ${a.reason}`,
  BASH_OUTPUT_ELSEWHERE: () => "the command ran elsewhere",
  BASH_ARGUMENTS: () => "Pass exactly one of command, poll and stop; background, cwd and timeout require command.",
  BASH_BACKGROUND_FULL: (a: { limit: number; ids: string }) =>
    `The command did not run: ${a.limit} commands already run in the background. Stop one of them first: ${a.ids}.`,
  BASH_BACKGROUND_UNKNOWN: (a: { id: string; ids: string }) =>
    `There is no background command ${a.id}.${a.ids ? ` These exist: ${a.ids}.` : " None is running."}`,
  SEARCH_PATTERN: (a: { reason: string }) => `The pattern is not valid:\n${a.reason}`,
  SEARCH_FAILED: (a: { reason: string }) => `The search failed: ${a.reason}`,
  SEARCH_COPY: (a: { reason: string }) =>
    `The files cannot be searched here, and there are too many to copy: ${a.reason}. Narrow the path.`,
  SEARCH_KIND: (a: { path: string }) =>
    `${a.path} is neither a file nor a folder but a FIFO, a socket or a device, which cannot be searched. Search its folder instead.`,
  SEARCH_PATH: (a: { path: string }) => `${a.path} does not exist, so there is nothing to search. Find it with Glob.`,
  TODO_INVALID: (a: { reason: string }) => `The list was not stored: ${a.reason}. Send the whole list again.`,
});
