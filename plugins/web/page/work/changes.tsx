import { everyPage } from "@scorel/host/client";
import { diffSize, readDiff } from "@scorel/kit/text/diff-lines";
import { useMemo, useState } from "react";
import { textOf, userContentOf } from "../chat/content.ts";
import type { ChatPlace } from "../chat/deeds.ts";
import { Diff } from "../display/diff.tsx";
import { safeLine } from "../display/safe.ts";
import type { Entry, Row } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { openFile } from "./panel-state.ts";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";
import { reversedDiff } from "./reverse.ts";

/** If there are more files, their diffs are closed at first. */
const MOST_OPEN = 5;
/** Most characters of a message in the list. */
const MOST_NAMED = 60;

interface Change {
  path: string;
  kind: string;
  diff?: string | undefined;
}
interface Found {
  changes: readonly Change[];
  notCovered: readonly { path: string; reason: string }[];
}

/** The files that a session has changed, since its beginning or since before one of its messages. */
export function Changes({ place }: { place: ChatPlace }) {
  const words = useWords();
  const { client, session } = place;
  const messages = messagesIn(useStore(session.entries));
  const [since, setSince] = useState("");
  const row = messages.find(({ id }) => id === since);
  const { value, error } = useReading(session, row?.id ?? "", () => readChanges({ client, session }, row));
  const { changes = [], notCovered = [] } = value ?? {};
  return (
    <>
      <label className="since">
        {words.changedSince}
        <select value={row ? since : ""} onChange={(event) => setSince(event.target.value)}>
          <option value="">{words.changedSinceBegin}</option>
          {messages.map(({ id, event }) => (
            <option key={id} value={id}>
              {words.changedBefore(nameOf(event))}
            </option>
          ))}
        </select>
      </label>
      <div role="status">
        {!value && !error && <p className="muted">{words.readingPanel}</p>}
        {value && changes.length === 0 && <p className="muted">{words.changedNothing}</p>}
        {changes.length > 0 && <p className="muted">{words.changedFiles(changes.length)}</p>}
      </div>
      {error && <Refusal error={error} />}
      {changes.map((change) => (
        <ChangedFile
          key={`${since} ${change.path}`}
          sessionId={session.id}
          change={change}
          isFew={changes.length <= MOST_OPEN}
        />
      ))}
      {notCovered.length > 0 && (
        <section>
          <h3>{words.changedNotCovered}</h3>
          <ul>
            {notCovered.map(({ path, reason }) => (
              <li key={`${path} ${reason}`}>
                <code>{safeLine(path)}</code> {safeLine(reason)}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface ChangedFileProps {
  sessionId: string;
  change: Change;
  /** Whether there are so few files that each diff is open. */
  isFew: boolean;
}

function ChangedFile({ sessionId, change: { path, kind, diff }, isFew }: ChangedFileProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(isFew);
  const { added, removed } = useMemo(() => diffSize(readDiff(diff ?? "")), [diff]);
  const kinds: Readonly<Record<string, string>> = words.changedKinds;
  return (
    <section className="changed-file" aria-label={safeLine(path)}>
      <button type="button" className="card-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="card-title">{safeLine(path)}</span>
        <span className="badge">{safeLine(kinds[kind] ?? kind)}</span>
        {diff !== undefined && (
          <span className="diff-size">
            <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
          </span>
        )}
      </button>
      {isOpen && kind !== "deleted" && (
        <button
          type="button"
          className="link"
          aria-label={words.showFile(safeLine(path))}
          onClick={() => openFile(sessionId, path)}
        >
          {words.showsFile}
        </button>
      )}
      {isOpen &&
        (diff === undefined ? <p className="muted">{words.changedNoText}</p> : <Diff path={path} text={diff} />)}
    </section>
  );
}

/** The messages of people, newest first. The first message of the session is left out: the time before it is the session's beginning. */
function messagesIn(entries: readonly Entry[]): Row[] {
  const rows = entries.flatMap(({ row }) => (row && userContentOf(row.event) !== undefined ? [row] : []));
  return rows.filter(({ event }) => event.parentId !== null).reverse();
}

function nameOf(event: object): string {
  const text = safeLine(textOf(userContentOf(event) ?? ""));
  return text.length > MOST_NAMED ? `${[...text].slice(0, MOST_NAMED).join("")}…` : text;
}

/** Requests the changes. The host answers what a rewind would change, which is the reverse. */
async function readChanges(
  { client, session }: Pick<ChatPlace, "client" | "session">,
  row: Row | undefined,
): Promise<Found> {
  const sessionId = session.id;
  if (!row) return everyPage((page) => client.request("list_changes", { sessionId, ...page }));
  const asked = { sessionId, targetEventId: row.event.parentId };
  const found = await everyPage((page) => client.request("preview_rewind", { ...asked, ...page }));
  return { ...found, changes: found.changes.map(reversed) };
}

function reversed({ path, kind, diff }: Change): Change {
  const opposite = { created: "deleted", deleted: "created" }[kind] ?? kind;
  return { path, kind: opposite, ...(diff !== undefined && { diff: reversedDiff(diff) }) };
}
