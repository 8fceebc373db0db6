import { LongText } from "../display/long-text.tsx";
import { safeText } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** What is to be known about a session beside its conversation, until it is hidden. */
export function NoticeList({ session }: { session: OpenSession }) {
  const words = useWords();
  const notices = useStore(session.notices.shown);
  return (
    <div role="status">
      {notices.length > 0 && (
        <section className="notices" aria-label={words.notices}>
          <ul>
            {notices.map(({ id, text, level }) => (
              <li key={id} className={`notice ${level}`}>
                {level === "warning" && `${words.warning}: `}
                <LongText text={safeText(text)} />
              </li>
            ))}
          </ul>
          <button
            type="button"
            className="icon-button"
            aria-label={words.hideNotices}
            title={words.hideNotices}
            onClick={() => session.notices.clear()}
          >
            ✕
          </button>
        </section>
      )}
    </div>
  );
}
