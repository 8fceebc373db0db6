import type {} from "@scorel/history/contract";
import type { Client, SessionSummary } from "@scorel/host/contract";
import { displayText } from "@scorel/kit/text/display";
import type { Surroundings } from "../parts.ts";
import type { PickerWords } from "../words/pickers.ts";
import { ListPicker } from "./picker.ts";
import type { PickerPlace, PickerRow } from "./picker-parts.ts";

const MOST = 1_000;
/** Events of a session that its preview is made of. */
const PREVIEWED = 40;
const MINUTE = 60_000;

/** The sessions of this project or of all, the latest first, which can be renamed and deleted. */
export function sessionPicker(at: PickerPlace & Surroundings, now = Date.now): ListPicker<SessionSummary> {
  const { client, cwd, pickerWords: words } = at;
  let isEverywhere = false;
  const picker: ListPicker<SessionSummary> = new ListPicker<SessionSummary>(at, {
    title: () => (isEverywhere ? words.allSessionsTitle : words.sessionsTitle),
    empty: words.sessionsEmpty,
    load: async () => {
      const { sessions } = await client.request("list_sessions", { limit: MOST, ...(!isEverywhere && { cwd }) });
      // One in which nothing was said is nothing to return to.
      return sessions.filter(({ messages }) => messages !== 0);
    },
    row: (session) => sessionRow(session, { words, now: now(), current: at.sessionId, isEverywhere }),
    id: ({ sessionId }) => sessionId,
    searched: ({ name = "", title, cwd }) => `${name} ${title} ${isEverywhere ? cwd : ""}`,
    preview: ({ sessionId, cwd }) => lastWords(client, sessionId, cwd),
    more: [
      {
        action: "scope",
        hint: (key) => (isEverywhere ? words.scopeProject(key) : words.scopeAll(key)),
        run: () => {
          isEverywhere = !isEverywhere;
          picker.reload();
        },
      },
      { action: "rename", hint: words.rename, run: (session) => rename(picker, at, session) },
      { action: "remove", hint: words.remove, run: (session) => remove(picker, at, session) },
    ],
  });
  return picker;
}

interface RowFacts {
  words: PickerWords;
  now: number;
  current: string | undefined;
  isEverywhere: boolean;
}

function sessionRow(session: SessionSummary, { words, now, current, isEverywhere }: RowFacts): PickerRow {
  const { updatedAt, messages, running, questions, cwd, sessionId, problem } = session;
  const state = questions ? words.asking : running ? words.running : undefined;
  const counted = messages === undefined ? undefined : words.messages(messages);
  const isCurrent = sessionId === current;
  const details = [
    isCurrent ? words.current : undefined,
    problem,
    state,
    isEverywhere ? cwd : undefined,
    counted,
    ago(updatedAt, now, words),
  ];
  return { label: nameOf(session, words), detail: details.filter(Boolean).join(" · "), isCurrent };
}

function nameOf({ name, title }: SessionSummary, words: PickerWords): string {
  return name || title || words.untitled;
}

/** How long ago something was, in words. */
export function ago(at: number, now: number, { ago: words }: PickerWords): string {
  const minutes = Math.floor(Math.max(0, now - at) / MINUTE);
  if (minutes < 1) return words.now;
  if (minutes < 60) return words.minutes(minutes);
  if (minutes < 48 * 60) return words.hours(Math.floor(minutes / 60));
  return words.days(Math.floor(minutes / 60 / 24));
}

async function lastWords(client: Client, sessionId: string, cwd: string): Promise<string> {
  const { events } = await client.request("get_events", { sessionId, tail: PREVIEWED });
  const said = events.flatMap(({ display }) => {
    if (display.display !== "bubble" || display.text.trim() === "") return [];
    return [`${display.role === "user" ? "> " : ""}${displayText(display).trim()}`];
  });
  return [cwd, ...said].join("\n\n");
}

function rename(picker: ListPicker<SessionSummary>, at: PickerPlace & Surroundings, session: SessionSummary): void {
  const { client, pickerWords: words } = at;
  const { sessionId, name = "" } = session;
  picker.ask({
    label: words.newName,
    text: name,
    give: (given) => picker.change(() => client.request("rename_session", { sessionId, name: given })),
  });
}

function remove(picker: ListPicker<SessionSummary>, at: PickerPlace & Surroundings, session: SessionSummary): void {
  const { client, pickerWords: words } = at;
  const { sessionId } = session;
  picker.ask({
    label: words.removeQuestion(nameOf(session, words)),
    give: () =>
      picker.change(async () => {
        const { text } = await client.request("delete_session", { sessionId });
        at.tell(text);
      }),
  });
}
