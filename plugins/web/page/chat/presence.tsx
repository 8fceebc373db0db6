import { useEffect } from "react";
import { safeLine } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** Milliseconds for which an arrival or departure is shown. */
const SHOWN_MS = 10_000;

/** Says for a moment who else has the session open now, when that has changed. */
export function Presence({ session }: { session: OpenSession }) {
  const words = useWords();
  const { news } = session.people;
  const latest = useStore(news);
  useEffect(() => {
    if (!latest) return;
    const timer = setTimeout(() => news.set(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [news, latest]);
  const { here = [], left } = latest ?? {};
  const texts = [
    left !== undefined && words.hasLeft(safeLine(left)),
    here.length > 0 && words.areHere(here.map(safeLine)),
  ];
  return (
    <div role="status" className="presence muted">
      {texts.filter(Boolean).join(" ")}
    </div>
  );
}
