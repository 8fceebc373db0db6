import { branchesOf } from "@scorel/kit/session/branches";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeLine } from "../display/safe.ts";
import { ago } from "../sidebar/ago.ts";
import { useStore } from "../store.ts";
import { attempt } from "../ui/notes.ts";
import { useWords } from "../words/words.ts";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";

/** Most events of the tree that are requested, the latest ones. */
const MOST = 5_000;
/** Most levels of indentation, so that the tree fits on a phone. */
const MOST_DEPTH = 6;

/** The parts of a conversation between branch points. Choosing one switches to the end of its latest branch. */
export function Branches({ place: { client, session } }: { place: ChatPlace }) {
  const words = useWords();
  const sessionId = session.id;
  const { running } = useStore(session.status);
  const { value, error } = useReading(session, "tree", () =>
    client.request("get_tree", { sessionId, show: "tree", limit: MOST }),
  );
  if (error) return <Refusal error={error} />;
  if (!value) return <p className="muted">{words.readingPanel}</p>;
  const go = (leafEventId: string) =>
    attempt(() => client.request("branch", { sessionId, leafEventId, expectedLeafId: value.leafId }));
  const branches = branchesOf(value.rows);
  // After going back, the only branch has messages that are not part of the conversation.
  const hasLeft = branches.some(({ active }) => !active);
  const about = hasLeft ? words.branchesLeft : words.branchesNone;
  return (
    <>
      <p className="muted">{value.leafCount > 1 ? words.branchesAbout(value.leafCount) : about}</p>
      <ul className="branches">
        {branches.map(({ rows, reply, depth, leafId, active, current }) => (
          <li key={rows[0].id} style={{ paddingLeft: `${Math.min(depth, MOST_DEPTH)}rem` }}>
            <button
              type="button"
              className="row-button"
              aria-current={current ? "true" : undefined}
              disabled={active || running || !session.rights.write}
              onClick={() => go(leafId)}
            >
              <span className="row-text">
                {safeLine(rows[0].text)}
                {rows.length > 1 && <span className="muted">{words.branchMessages(rows.length)}</span>}
                {reply && reply !== rows[0] && <span className="muted">{safeLine(reply.text)}</span>}
              </span>
              {current && <span className="badge">{words.branchCurrent}</span>}
              <time className="muted">{ago(rows.at(-1)?.ts ?? rows[0].ts, Date.now(), words)}</time>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
