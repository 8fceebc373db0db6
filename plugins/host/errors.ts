import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  HOST_SESSION_LOCKED: (a: { sessionId: string; pid: number; since: string; path: string; suspended?: boolean }) =>
    `Session ${a.sessionId} is in use by process ${a.pid}, started ${a.since}${a.suspended ? `, which is there but suspended: \`fg\` in its terminal or \`kill -CONT ${a.pid}\` wakes it` : ""}. Wait until it ends, or work in another session. (If that process ran on a machine or in a container that is gone, delete ${a.path}.)`,
  SESSION_UNKNOWN: {
    exit: 2,
    text: (a: { sessionId: string; deleted?: string | undefined }) =>
      a.deleted === undefined
        ? `There is no session "${a.sessionId}". \`scorel session list --all\` shows them.`
        : `Session ${a.deleted} was deleted and is in the trash. To have it back: scorel session restore ${a.deleted}`,
  },
  SESSION_AMBIGUOUS: {
    exit: 2,
    text: (a: { prefix: string; matches: readonly string[] }) =>
      `"${a.prefix}" could be ${a.matches.length} sessions: ${a.matches.slice(0, 5).join(", ")}${a.matches.length > 5 ? " …" : ""}. Give more letters.`,
  },
  SESSION_NONE: {
    exit: 2,
    text: (a: { cwd: string }) =>
      `There is no session of ${a.cwd} yet. \`scorel\` begins one; \`scorel session list --all\` shows those of other directories.`,
  },
  HOST_SESSION_OPTIONS: (a: { sessionId: string }) =>
    `Session ${a.sessionId} is already open with another model or other writable directories. Close it first.`,
  HOST_SESSION_BUSY: (a: { sessionId: string }) =>
    `A turn runs in session ${a.sessionId}. Wait until it ends, or cancel it first.`,
  HOST_TEMPORARY: (a: { path: string; reason: string }) =>
    `The folder for temporary files, TMPDIR=${a.path}, cannot be used (${a.reason}). Set TMPDIR to a folder that exists and that you can write to.`,
  HOST_RELOAD: (a: { sessionId: string; reasons: readonly string[] }) =>
    `Session ${a.sessionId} is not reloaded and goes on as it was. As things are now: ${a.reasons.join("\n")}`,
  HOST_NO_HISTORY: () =>
    'Nothing here knows where a copy may end. Add "history" to "use" in the preset, or copy the whole conversation.',
  HOST_TAIL_INVALID: {
    exit: 2,
    text: (a: { value: string }) =>
      `"${a.value}" is no value of --tail: it takes how many events to show, a whole number from 1.`,
  },
  HOST_CLONE_EMPTY: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `Session ${a.sessionId} holds no message yet, so there is nothing to copy. Start a new one instead.`,
  },
  HOST_CWD_GONE: (a: { sessionId: string; cwd?: string | undefined }) =>
    a.cwd === undefined
      ? `Session ${a.sessionId} does not say which directory it works in, so nothing can be done there. \`scorel session show ${a.sessionId}\` reads it; start a new session to go on.`
      : `Session ${a.sessionId} works in ${a.cwd}, which no longer exists. If it is elsewhere now: \`scorel project move ${shellWord(a.cwd)} NEW-DIRECTORY\`, and the session follows. Else restore the directory, or start a new session.`,
  HOST_NO_PROJECTS: {
    exit: 2,
    text: () => 'Nothing here knows projects. Add "projects" to "use" in the preset, or leave out the project.',
  },
  HOST_LIMIT_INVALID: {
    exit: 2,
    text: (a: { value: string; max: number }) =>
      `"${a.value}" is no limit: give a whole number from 1 to ${a.max}, or none.`,
  },
  HOST_FILE_BUSY: (a: { path: string }) =>
    `${a.path} is being changed by another process for too long. Nothing was changed; try again. (If no such process runs, delete ${a.path}.lock.)`,
  HOST_CWD_INVALID: {
    exit: 2,
    text: (a: { cwd: string; reason: string }) => `${a.cwd} is not a directory to work or write in: ${a.reason}.`,
  },
  HOST_HOME: (a: { path: string; reason: string }) =>
    `Sessions are kept below ${a.path}, which cannot be used: ${a.reason}. Make it a directory of yours, or set HOME.`,
  HOST_STORAGE: (a: { path: string; reason: string }) =>
    `${a.path} could not be written (${a.reason}), so the session cannot be written either. Nothing was recorded; free space or make the directory writable, then try again. \`scorel session show\` reads the session meanwhile.`,
  HOST_OPERATIONS: (a: { operation?: string }) =>
    `"operations" must answer an object with { params: a zod schema, run } for each name${a.operation === undefined ? "" : `; "${a.operation}" is none of that`}.`,
  HOST_OPERATION_UNKNOWN: (a: { operation: string }) =>
    `The host knows no operation "${a.operation}". The client may be newer than the host.`,
  HOST_PARAMS_INVALID: (a: { operation: string; problems: string }) =>
    `The request "${a.operation}" is not as it should be: ${a.problems}.`,
  HOST_NO_AGENT: (a: { sessionId: string }) =>
    `Session ${a.sessionId} has no agent, so nothing can answer. Add "agent" to "use" in the preset.`,
  HOST_TURN_UNKNOWN: (a: { id: string }) =>
    `No message "${a.id}" was sent to this session since it was opened, so there is no turn to wait for.`,
  HOST_CLIENT_CLOSED: (a: { clientId: string }) => `Client ${a.clientId} is closed. Connect again.`,
  HOST_STOPPED: (a: { sessionId: string }) =>
    `The host has stopped, so session ${a.sessionId} is not opened any more. Start it again.`,
  HOST_LOCK_RACE: (a: { path: string }) => `${a.path} kept changing hands. Try again.`,
});

/** Quotes a path for a shell. */
function shellWord(path: string): string {
  return /^[\w./~+@%-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
