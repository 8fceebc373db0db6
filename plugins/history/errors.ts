import { defineErrors } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";

/** More characters than an id has. */
const LONGEST_NAMED = 60;

/** The given id in a message. Instead of one, a long text may have been pasted. */
function brief(given: string): string {
  const line = lineOf(given);
  return line.length > LONGEST_NAMED ? `${line.slice(0, LONGEST_NAMED - 1)}…` : line;
}

export const errors = defineErrors({
  HISTORY_EVENT_UNKNOWN: {
    exit: 2,
    text: (a: { eventId: string; sessionId: string }) =>
      `No event of session ${a.sessionId} begins with "${brief(a.eventId)}". \`scorel session tree ${a.sessionId}\` shows them.`,
  },
  HISTORY_AMBIGUOUS: {
    exit: 2,
    text: (a: { named: string; what: string; matches: readonly string[] }) =>
      `"${a.named}" matches ${a.matches.length} ${a.what}: ${a.matches.slice(0, 5).join(", ")}${a.matches.length > 5 ? " …" : ""}. Type more characters.`,
  },
  HISTORY_NO_POINT: {
    exit: 2,
    text: (a: { eventId: string; reason: string; nearest: readonly string[]; shown: readonly string[] }) =>
      `The conversation cannot continue from ${a.eventId}: ${a.reason}. The nearest points are ${a.shown.join(" and ")}.`,
  },
  HISTORY_NO_LEAF: {
    exit: 2,
    text: (a: { eventId: string; leaves: readonly string[]; shown: readonly string[] }) =>
      `${a.eventId} is not the end of a branch. ${a.shown.length === 0 ? "It is not part of the conversation." : `Branches through it end at ${a.shown.join(", ")}.`} To continue from the middle, rewind to it.`,
  },
  HISTORY_CONFLICT: (a: { expected: string | null; actual: string | null }) =>
    `The conversation has moved on: it is at ${a.actual ?? "its start"}, not at ${a.expected ?? "its start"}. Look at it again, then repeat the command.`,
  HISTORY_NO_UNDO: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `There is nothing to undo in session ${a.sessionId}: no user message precedes its current position.`,
  },
  HISTORY_NO_REDO: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `There is nothing to redo in session ${a.sessionId}: nothing was undone, or the conversation has continued since.`,
  },
  HISTORY_NO_FILES: {
    exit: 2,
    text: () =>
      'This preset cannot restore files. Add "checkpoints" to "use" in the preset, or go back without the files.',
  },
  HISTORY_NOT_RESTORED: () =>
    'Some files were not restored: see "not restored" above. The conversation was moved anyway.',
  HISTORY_TRASH_EMPTY: { exit: 2, text: () => "The trash is empty: no session was deleted." },
  HISTORY_TAIL: {
    exit: 2,
    text: (a: { value: string }) => `--tail takes a positive number of events, not "${a.value}".`,
  },
  HISTORY_NO_HOST: {
    exit: 2,
    text: () => 'This command needs sessions to work on. Remove "host" from "without" in the preset.',
  },
  HISTORY_NO_COMPACTION: {
    exit: 2,
    text: () => 'This preset cannot compact sessions. Add "compaction" to "use" in the preset or config.toml.',
  },
  HISTORY_NO_CHANGE: {
    exit: 2,
    text: () => "There is nothing to change: specify a name, a model or a thinking level.",
  },
  HISTORY_NO_MODEL: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `Session ${a.sessionId} has no models to choose from. Add "model" to "use" in the preset.`,
  },
  HISTORY_NOT_IN_TRASH: {
    exit: 2,
    text: (a: { sessionId: string }) =>
      `There is no session "${a.sessionId}" in the trash; it may have been purged. \`scorel session list --all\` shows those that are not deleted.`,
  },
  HISTORY_TRASH_TAKEN: (a: { path: string }) =>
    `${a.path} already exists, so nothing was moved. Move that file away, or empty the trash: \`scorel session purge\`.`,
  HISTORY_TRASH: (a: { path: string; reason: string }) =>
    `${a.path} could not be moved or deleted (${a.reason}). No session is lost: files that were not moved yet are where they were. Make the directory writable and try again.`,
  HISTORY_UNCONFIRMED: {
    exit: 2,
    text: (a: { what: string }) =>
      `${a.what} was not confirmed, so nothing was changed. Answer "y" in a terminal, or add --yes.`,
  },
});
