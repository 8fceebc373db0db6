import { useState } from "react";
import { LongText } from "../display/long-text.tsx";
import { safeText } from "../display/safe.ts";
import type { Notice } from "../host/notices.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** The notices of a session, until they are hidden. */
export function NoticeList({ session }: { session: OpenSession }) {
  const words = useWords();
  const notices = useStore(session.notices.shown);
  const [isOpen, setOpen] = useState(false);
  const textOf = ({ text, level }: Notice) => `${level === "warning" ? `${words.warning}: ` : ""}${safeText(text)}`;
  const last = notices.at(-1);
  return (
    <div role="status">
      {last && (
        <section className={isOpen ? "notices open" : "notices"} aria-label={words.notices}>
          {/* Shown only on small screens, where the list is hidden until this button opens it. */}
          <button
            type="button"
            className={`notices-line notice ${last.level}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <span>{textOf(last)}</span>
            {notices.length > 1 && <span className="badge">{notices.length}</span>}
          </button>
          <ul>
            {notices.map((notice) => (
              <li key={notice.id} className={`notice ${notice.level}`}>
                <LongText text={textOf(notice)} />
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
