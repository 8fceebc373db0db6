import { defineErrors } from "@scorel/kernel";
import { WORKTREES } from "@scorel/kit/files/worktree-place";
import { deedOf } from "@scorel/kit/text/deed";
import { shellWord } from "@scorel/kit/text/shell-word";

/** Describes a refused operation in plain words if possible, or else by its name. */
function doing(operation: string | undefined): string {
  if (operation === undefined) return "do that";
  return deedOf(operation) ?? `do that (${operation})`;
}

/** Advice for a session whose directory does not exist any more. */
function moveAdvice(cwd: string): string {
  const move = (from: string, to: string) => `\`scorel project move ${shellWord(from)} ${to}\``;
  const [checkout = "", inside] = cwd.split(`/${WORKTREES}/`);
  if (inside !== undefined) {
    // A session in a subfolder of the worktree continues in that subfolder of the project.
    const worktree = `${checkout}/${WORKTREES}/${inside.split("/")[0]}`;
    return `It was a worktree, which is merged or removed. To continue in its project: ${move(worktree, shellWord(checkout))}`;
  }
  return `If it has moved: ${move(cwd, "NEW-DIRECTORY")}, and the session follows. Otherwise restore the directory, or start a new session.`;
}

export const errors = defineErrors({
  HOST_SESSION_LOCKED: (a: { sessionId: string; pid: number; since: string; path: string; suspended?: boolean }) =>
    `Session ${a.sessionId} is in use by process ${a.pid}, started ${a.since}${a.suspended ? `, which is suspended: \`fg\` in its terminal or \`kill -CONT ${a.pid}\` resumes it` : ""}. Leave the session there with /exit, or end that process (\`kill ${a.pid}\`), and try again; or work in another session. (If that process ran on a machine or in a container that is gone, delete ${a.path}.)`,
  SESSION_UNKNOWN: {
    exit: 2,
    text: (a: { sessionId: string; deleted?: string | undefined }) =>
      a.deleted === undefined
        ? `There is no session "${a.sessionId}". \`scorel session list --all\` shows them.`
        : `Session ${a.deleted} was deleted and is in the trash. To restore it: scorel session restore ${a.deleted}`,
  },
  SESSION_AMBIGUOUS: {
    exit: 2,
    text: (a: { prefix: string; matches: readonly string[] }) =>
      `"${a.prefix}" matches ${a.matches.length} sessions: ${a.matches.slice(0, 5).join(", ")}${a.matches.length > 5 ? " …" : ""}. Type more of the id.`,
  },
  SESSION_NONE: {
    exit: 2,
    text: (a: { cwd: string; above?: string | undefined; inProject?: boolean }) => {
      const above = a.above === undefined ? "" : `, but there is in ${a.above} (\`--cwd ${a.above}\`)`;
      const ofProject = `\`scorel --resume\` and \`scorel session list --project ${a.cwd}\` list those of this project, and `;
      return `There is no session in ${a.cwd} yet${above}. \`scorel\` starts one; ${a.inProject && a.above === undefined ? ofProject : ""}\`scorel session list --all\` shows those of other directories.`;
    },
  },
  HOST_SESSION_OPTIONS: (a: { sessionId: string; options: readonly string[] }) =>
    `Session ${a.sessionId} is already open with other values of ${a.options.join(", ")}. Options apply only when a session is opened: leave them out and change the open session, for example with /model, or use them when no client has it open and nothing runs in it.`,
  HOST_OPTIONS: (a: { plugin: string; problems: string }) =>
    `"sessionOptions" of plugin "${a.plugin}": ${a.problems}. The option is left out.`,
  HOST_OPTION_TAKEN: (a: { plugin: string; name: string; owner?: string | undefined }) =>
    `The session option "${a.name}" of plugin "${a.plugin}" is left out: ${a.owner === undefined ? "Scorel" : `plugin "${a.owner}"`} already uses that name. Give it another name.`,
  HOST_OPTION_LOCKED: {
    exit: 2,
    text: (a: { option: string; value: unknown; setting: string; by: string; configured?: unknown }) =>
      `The session option "${a.option}" cannot be ${JSON.stringify(a.value)}: ${a.by} locks ${a.setting}, which is ${a.configured === undefined ? "not set" : JSON.stringify(a.configured)}. Leave the option out${a.configured === undefined ? "" : ", or use a stricter value"}.`,
  },
  HOST_SESSION_BUSY: (a: { sessionId: string }) =>
    `A turn is running in session ${a.sessionId}. Wait until it ends, or cancel it first.`,
  HOST_TEMPORARY: (a: { path: string; reason: string }) =>
    `The folder for temporary files, TMPDIR=${a.path}, cannot be used (${a.reason}). Set TMPDIR to a folder that exists and that you can write to.`,
  HOST_RELOAD: (a: { sessionId: string; reasons: readonly string[] }) =>
    `Session ${a.sessionId} was not reloaded and continues unchanged: ${a.reasons.join("\n")}`,
  HOST_DATA: (a: { length: number; max: number }) =>
    `The data for plugins has ${a.length} characters as JSON; a session accepts up to ${a.max}. Store the rest in a file.`,
  HOST_PARENT_CLOSED: (a: { sessionId: string }) =>
    `Session ${a.sessionId} is not open, so no session can be created for it. Open it first.`,
  HOST_CHILD_FOLDER: (a: { folder: string; folders: readonly string[] }) =>
    `A session with a parent can work only where its parent may change files (${a.folders.join(", ")}), not in ${a.folder}.`,
  HOST_CHILD_PLUGINS: (a: { preset?: string | undefined; missing: readonly string[] }) =>
    `The session's parent is limited by ${a.missing.join(", ")}, which ${a.preset === undefined ? "this preset" : `the preset "${a.preset}"`} does not have. Use a preset with ${a.missing.length === 1 ? "this plugin" : "these plugins"}.`,
  HOST_CHILD_LIMITS: (a: { plugins: readonly string[] }) =>
    `The limits of the session's parent are unknown, because "childLimits" of ${a.plugins.join(", ")} failed. Fix or remove the plugin.`,
  HOST_NO_HISTORY: () =>
    'This preset cannot copy a conversation up to an event. Add "history" to "use" in the preset, or copy the whole conversation.',
  HOST_TAIL_INVALID: {
    exit: 2,
    text: (a: { value: string }) => `--tail takes a positive number of events, not "${a.value}".`,
  },
  HOST_CLONE_EMPTY: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `Session ${a.sessionId} has no messages yet, so there is nothing to copy. Start a new one instead.`,
  },
  HOST_CWD_GONE: ({ sessionId, cwd }: { sessionId: string; cwd?: string | undefined }) =>
    cwd === undefined
      ? `The working directory of session ${sessionId} is unknown, so it cannot be continued. \`scorel session show ${sessionId}\` shows it; start a new session to continue.`
      : `Session ${sessionId} works in ${cwd}, which no longer exists. ${moveAdvice(cwd)}`,
  HOST_NO_PROJECTS: {
    exit: 2,
    text: () => 'This preset has no projects. Add "projects" to "use" in the preset, or leave out the project.',
  },
  HOST_LIMIT_INVALID: {
    exit: 2,
    text: (a: { value: string; max: number }) =>
      `The limit must be a whole number from 1 to ${a.max}, not "${a.value}".`,
  },
  HOST_FILE_BUSY: (a: { path: string }) =>
    `Another process has been changing ${a.path} for too long. Nothing was changed; try again. (If no such process runs, delete ${a.path}.lock.)`,
  HOST_CWD_INVALID: {
    exit: 2,
    text: (a: { cwd: string; reason: string }) => `${a.cwd} is not a directory to work or write in: ${a.reason}.`,
  },
  HOST_HOME: (a: { path: string; reason: string }) =>
    `Sessions are stored in ${a.path}, which cannot be used: ${a.reason}. ${/EMFILE|ENFILE/.test(a.reason) ? "Too many files and connections are open: close some, or raise the limit (`ulimit -n`), and try again." : "Make it a directory that you own, or set HOME."}`,
  HOST_STORAGE: (a: { path: string; reason: string; isNew: boolean }) =>
    `${a.path} could not be written (${a.reason}), so the session cannot be ${a.isNew ? "stored. Free" : "written either. Its log is unchanged; free"} space or make the directory writable, then try again. ${a.isNew ? "With `--no-session`, `-p` stores nothing." : "`scorel session show` can still show the session."}`,
  HOST_PARTIAL: (a: { path: string; reason: string }) =>
    `The text of an incoming reply could not be saved next to ${a.path}, or not be deleted again (${a.reason}). The complete reply is stored in the log; only if this process is killed before that, its text is lost. Free space there, and check the permissions of the folder.`,
  HOST_OPERATIONS: (a: { operation?: string }) =>
    `"operations" must return an object with { params: a zod schema, run } for each name, which is one word${a.operation === undefined ? "" : `; "${a.operation}" is not such an object`}.`,
  HOST_OPERATION_FAILED: (a: { operation: string; plugin: string; reason: string; at?: string | undefined }) =>
    `Extension "${a.plugin}" failed in the operation "${a.operation}": ${a.reason}${a.at === undefined ? "" : ` (${a.at})`}`,
  HOST_OPERATION_OFF: (a: { operation: string; plugin: string; sessionId?: string | undefined }) =>
    `The operation "${a.operation}" of extension "${a.plugin}" is switched off, because it failed three times. ${a.sessionId === undefined ? "`scorel host logs` shows the failures, if the host runs in the background. It is switched on again when Scorel is restarted (`scorel host serve --replace`)." : `\`scorel logs ${a.sessionId}\` shows the failures. It is switched on again when the session is opened again.`}`,
  HOST_OPERATION_UNKNOWN: (a: { operation: string; isOfSession: boolean; near?: string | undefined }) =>
    `The host has no operation "${a.operation}". ${a.near === undefined ? `${a.isOfSession ? "" : 'If a plugin of a session has it, the request needs the "sessionId". '}If the host was started before the operation was installed, restart it: scorel host serve --replace` : `Did you mean "${a.near}"?`}`,
  HOST_FORBIDDEN: (a: { operation?: string; reason: string }) =>
    `This client may not ${doing(a.operation)}: ${a.reason}. Whoever opens the connection decides what it allows.`,
  HOST_SCOPE_INVALID: (a: { problems: string }) => `The scope of a client is invalid: ${a.problems}.`,
  HOST_PARAMS_INVALID: (a: { operation: string; problems: string }) =>
    `The request "${a.operation}" is invalid: ${a.problems}.`,
  HOST_RESULT_INVALID: (a: { operation: string; plugin: string; problems: string }) =>
    `Plugin "${a.plugin}" answered "${a.operation}" with a result that does not match its schema: ${a.problems}.`,
  HOST_NO_AGENT: (a: { sessionId: string }) =>
    `Session ${a.sessionId} has no agent, so nothing can answer. Add "agent" to "use" in the preset.`,
  HOST_TURN_UNKNOWN: (a: { id: string }) =>
    `No message "${a.id}" was sent to this session since it was opened, so there is no turn to wait for.`,
  HOST_EVENT_UNKNOWN: (a: { sessionId: string; eventId: string }) =>
    `Session ${a.sessionId} has no event "${a.eventId}". Its log may have lost events since; read it from the start.`,
  HOST_CLIENT_CLOSED: (a: { clientId: string }) => `Client ${a.clientId} is closed. Connect again.`,
  HOST_STOPPED: (a: { sessionId: string }) =>
    `The host has stopped, so session ${a.sessionId} cannot be opened. Start it again.`,
  HOST_LOCK_RACE: (a: { path: string }) => `Other processes kept taking the lock ${a.path}. Try again.`,
});
