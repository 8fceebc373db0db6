import type { Hit } from "@scorel/search/contract";
import { fragmentOf } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { ago } from "../sidebar/ago.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { Refusal } from "../work/refusal.tsx";
import { isSearched, keyOf, matchIn, useSearch } from "./searching.ts";

/** Error codes of a host without search, or that does not allow it for the token of this page. */
const WITHOUT = new Set(["HOST_OPERATION_UNKNOWN", "HOST_FORBIDDEN"]);
/** Most characters before a match, so that the match is visible. */
const LEAD = 24;

/** Messages with the wanted words, in the conversations of all sessions. */
export function FoundInConversations({ device, wanted }: { device: Device; wanted: string }) {
  const words = useWords();
  const { found, more } = useSearch(device, wanted);
  const isAway = useStore(device.awaySince) !== undefined;
  if (!isSearched(wanted) || WITHOUT.has(found?.error?.code ?? "")) return null;
  return (
    <section aria-label={words.inConversations} aria-busy={found !== undefined && found.wanted !== wanted.trim()}>
      <h2>{words.inConversations}</h2>
      <p className={found && !isAway ? "hidden" : "muted"} role="status">
        {isAway ? words.searchedLater : found ? words.foundCount(found.hits.length, found.hasMore) : words.searching}
      </p>
      {found?.error && <Refusal error={found.error} />}
      <ul>
        {found?.hits.map((hit) => (
          <li key={keyOf(hit)}>
            <FoundLink hit={hit} wanted={found.wanted} />
          </li>
        ))}
      </ul>
      {found && found.hits.length === 0 && !found.error && <p className="muted">{words.nothingFound}</p>}
      {found?.hasMore && (
        <button type="button" className="link" onClick={more}>
          {words.moreFound}
        </button>
      )}
    </section>
  );
}

function FoundLink({ hit, wanted }: { hit: Hit; wanted: string }) {
  const words = useWords();
  const { sessionId, eventId } = hit;
  const who: Readonly<Record<string, string>> = words.foundWho;
  return (
    <a className="found-link" href={fragmentOf({ at: "session", sessionId, ...(eventId !== null && { eventId }) })}>
      <span className="found-head">
        <span className="session-title">{safeLine(hit.title) || words.untitled}</span>
        <time className="muted">{ago(hit.ts, Date.now(), words)}</time>
      </span>
      <span className="found-text">
        <span className="muted">{Object.hasOwn(who, hit.who) ? who[hit.who] : safeLine(hit.who)}: </span>
        <Excerpt line={safeLine(hit.text)} wanted={wanted} />
      </span>
    </a>
  );
}

function Excerpt({ line, wanted }: { line: string; wanted: string }) {
  const found = matchIn(line, wanted);
  if (!found) return line;
  const { before, match, after } = found;
  return (
    <>
      {before.length > LEAD ? `…${before.slice(-LEAD)}` : before}
      <mark>{match}</mark>
      {after}
    </>
  );
}
