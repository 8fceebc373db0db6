import type {} from "@scorel/history/contract";
import { conversationRows, openFirst, openState, projectSessions } from "@scorel/host/client";
import type { Client, Delivered, SessionSummary } from "@scorel/host/contract";
import type { StoredEvent } from "@scorel/kernel";
import { seenFrom } from "@scorel/kit/files/paths";
import { displayText } from "@scorel/kit/text/display";
import type { Surroundings } from "../parts.ts";
import { shortPath } from "../rows/short-path.ts";
import type { PickerWords } from "../words/pickers.ts";
import { type ListedSession, sessionsWith } from "./hits.ts";
import { matchingItems } from "./matching.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace, PickerRow, PreviewPart } from "./picker-parts.ts";

const MOST = 1_000;
/** The number of latest events that the preview of a session is made from, and the most that are read if all of those were undone. */
const PREVIEWED = 40;
const MOST_PREVIEWED = 1_000;
const MINUTE = 60_000;

type Place = PickerPlace & Surroundings;

interface SessionListOptions {
  /** Lists the sessions that the host has open first, and marks them. */
  openFirst?: boolean;
}

/** Which sessions are listed: those of this project, those of all projects, or the archived ones of all projects. */
const scopes = ["project", "all", "archived"] as const;

/**
 * The sessions of this project or of all projects, or the archived ones, the latest first. They can be renamed, archived and deleted;
 * `onRemovedHere` is called when the shown session was deleted.
 */
export function sessionPicker(
  at: Place,
  onRemovedHere: (name: string) => Promise<void>,
  { openFirst: isOpenFirst = false }: SessionListOptions = {},
): ListPicker<ListedSession> {
  const { client, env, pickerWords: words } = at;
  const here = () => at.status?.meta.cwd ?? at.cwd;
  const placeOf = (cwd: string) => (scope === "project" ? seenFrom(here(), cwd) : shortPath(cwd, env.HOME));
  let scope: (typeof scopes)[number] = "project";
  const nextScope = () => scopes[(scopes.indexOf(scope) + 1) % scopes.length] ?? "project";
  let listed: readonly ListedSession[] = [];
  const removed: SessionSummary[] = [];
  const searched = ({ name = "", title, cwd }: SessionSummary) =>
    `${name} ${title} ${scope === "project" ? placeOf(cwd) : cwd}`;
  const picker: ListPicker<ListedSession> = new ListPicker<ListedSession>(at, {
    title: () => words.sessionsTitle[scope],
    empty: () => words.sessionsEmpty[scope],
    load: async () => {
      const page = { limit: MOST, archived: scope === "archived" };
      const { sessions } = await (scope === "project"
        ? projectSessions(client, { ...at.status?.meta, cwd: here() }, page)
        : client.request("list_sessions", page));
      // Sessions without messages are left out: there is nothing to return to.
      const begun = sessions.filter(({ messages, archived }) => messages !== 0 && (archived || scope !== "archived"));
      listed = isOpenFirst ? openFirst(begun) : begun;
      return listed;
    },
    row: (session) =>
      sessionRow(session, {
        words,
        now: Date.now(),
        current: at.sessionId,
        place: placeOf(session.cwd),
        marksOpen: isOpenFirst,
      }),
    id: ({ sessionId }) => sessionId,
    searched,
    findMore: async (query, signal) => {
      const byTitle = new Set(matchingItems(listed, query, searched));
      const { projectId = here() } = (at.status?.meta ?? {}) as { projectId?: string };
      return sessionsWith(client, query, {
        listed: listed.filter((session) => !byTitle.has(session)),
        project: scope === "project" ? projectId : undefined,
        signal,
      });
    },
    preview: async ({ sessionId, cwd, hit }) => {
      // One part, since the first part of a long preview is always shown.
      const facts = [cwd, ...(hit === undefined ? [] : [words.found(hit)])];
      return [{ text: facts.join("\n") }, ...(await lastWords(client, sessionId))];
    },
    previewsEnd: true,
    general: [
      {
        action: "scope",
        hint: (key) => words.scopes[nextScope()](key),
        run: () => {
          scope = nextScope();
          picker.reload();
        },
      },
      {
        action: "restore",
        hint: (key) => (removed.length > 0 ? words.restore(key) : ""),
        run: () => restore(picker, at, removed),
      },
    ],
    more: [
      { action: "rename", hint: words.rename, run: (session) => rename(picker, at, session) },
      {
        action: "remove",
        hint: words.remove,
        run: (session) =>
          remove(picker, at, session, async () => {
            if (session.sessionId === at.sessionId) return onRemovedHere(nameOf(session, words));
            removed.push(session);
            picker.say(words.removed(nameOf(session, words), at.keys.label("restore")));
          }),
      },
      {
        action: "archive",
        hint: (key) => (scope === "archived" ? words.takeBack(key) : words.archive(key)),
        run: (session) => archive(picker, at, session),
      },
    ],
  });
  return picker;
}

interface RowFacts {
  words: PickerWords;
  now: number;
  current: string | undefined;
  /** Where the session works, if that is of interest. */
  place: string;
  marksOpen: boolean;
}

function sessionRow(session: ListedSession, facts: RowFacts): PickerRow {
  const { words, now, current, place, marksOpen } = facts;
  const { updatedAt, messages, sessionId, problem, copied, hit } = session;
  const open = openState(session);
  const state = open === undefined || (open === "open" && !marksOpen) ? undefined : words[open];
  const counted = messages === undefined ? undefined : words.messages(messages);
  const isCurrent = sessionId === current;
  const here = isCurrent ? words.current : undefined;
  const latest = ago(updatedAt, now, words);
  // The most important last: in a narrow list the first ones are left out.
  const rest = open === "asking" ? [here, latest, state] : [state, here, latest];
  const details = [copied && words.copied[copied], counted, problem, ...rest];
  const name = nameOf(session, words);
  return {
    label: hit === undefined ? name : `${name}: ${hit}`,
    detail: details.filter((part) => part !== undefined),
    place,
    isCurrent,
  };
}

function nameOf({ name, title }: SessionSummary, words: PickerWords): string {
  return name || title || words.untitled;
}

/** The time from `at` to `now` (both in milliseconds) in words. */
export function ago(at: number, now: number, { ago: words }: PickerWords): string {
  const minutes = Math.floor(Math.max(0, now - at) / MINUTE);
  if (minutes < 1) return words.now;
  if (minutes < 60) return words.minutes(minutes);
  if (minutes < 48 * 60) return words.hours(Math.floor(minutes / 60));
  return words.days(Math.floor(minutes / 60 / 24));
}

/**
 * The last messages of a session. Reads its latest events; if all of those were undone, also earlier ones, up to `MOST_PREVIEWED` events in
 * total.
 */
async function lastWords(client: Client, sessionId: string): Promise<PreviewPart[]> {
  for (let all: Delivered[] = []; ; ) {
    const [first] = all;
    const before = first && { before: (first.event as StoredEvent).id };
    const page = { sessionId, tail: Math.max(PREVIEWED, 2 * all.length), ...before };
    const { events, more } = await client.request("get_events", page);
    all = [...events, ...all];
    const said = wordsIn(all);
    if (said.length > 0 || !more || all.length >= MOST_PREVIEWED) return said;
  }
}

function wordsIn(events: readonly Delivered[]): PreviewPart[] {
  return conversationRows(events).flatMap(({ display }) => {
    if (display.display !== "bubble" || display.text.trim() === "") return [];
    const text = displayText(display).trim();
    return [display.role === "user" ? { text: `> ${text}` } : { markdown: text }];
  });
}

function rename(picker: ListPicker<ListedSession>, at: Place, session: SessionSummary): void {
  const { client, pickerWords: words } = at;
  const { sessionId, name, title } = session;
  picker.ask({
    label: words.newName,
    text: name || title,
    give: (given) => picker.change(() => client.request("rename_session", { sessionId, name: given })),
  });
}

/** Archives a session, or takes it back from the archive. */
function archive(
  picker: ListPicker<ListedSession>,
  { client, pickerWords: words }: Place,
  session: SessionSummary,
): void {
  const { sessionId } = session;
  const archived = session.archived !== true;
  picker.change(async () => {
    await client.request("archive_session", { sessionId, archived });
    const name = nameOf(session, words);
    picker.say(archived ? words.archived(name) : words.takenBack(name));
  });
}

function remove(
  picker: ListPicker<ListedSession>,
  at: Place,
  session: SessionSummary,
  done: () => Promise<void>,
): void {
  const { client, pickerWords: words } = at;
  const { sessionId } = session;
  picker.ask({
    label: words.removeQuestion(nameOf(session, words)),
    give: () =>
      picker.change(async () => {
        await client.request("delete_session", { sessionId });
        await done();
      }),
  });
}

/** Restores the session that was deleted last. */
function restore(picker: ListPicker<ListedSession>, at: Place, removed: SessionSummary[]): void {
  const { client, pickerWords: words } = at;
  // Taken out at once, so that the key pressed again restores the one deleted before.
  const last = removed.pop();
  if (!last) {
    picker.say(words.noneRemoved);
    return;
  }
  picker.change(async () => {
    try {
      await client.request("restore_session", { sessionId: last.sessionId });
    } catch (thrown) {
      removed.push(last);
      throw thrown;
    }
    picker.say(words.restored(nameOf(last, words)));
  });
}
