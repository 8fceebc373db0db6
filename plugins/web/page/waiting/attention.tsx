import { useEffect, useRef, useState } from "react";
import type { Place } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import { titleOf } from "../sidebar/title.ts";
import { Store, useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { type Mark, markOf, newsOf, sessionsOf } from "./marks.ts";

/** Notes that the shown session was seen, while the tab is visible. */
export function useLooking(device: Device, place: Place): void {
  const projects = useStore(device.sessions.projects);
  const shown = place.at === "session" ? place.sessionId : undefined;
  useEffect(() => {
    const look = () => {
      // Stored data may be older than what the person has already seen.
      if (!device.sessions.hasBegun) return;
      device.seen.begin(sessionsOf(projects));
      const row = shown === undefined ? undefined : device.sessions.find(shown);
      if (row && !document.hidden) device.seen.look(row);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [device, projects, shown]);
}

/** Title of the shown session; empty while none is shown. */
const shownTitle = new Store("");

/** Shows the title of a session in the tab, as long as the session is shown. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    shownTitle.set(title);
    return () => shownTitle.set("");
  }, [title]);
}

/** Shows in the title and the icon of the tab how many sessions wait for an answer, and in the title which one is shown. */
export function useBadge(count: number): void {
  const title = useStore(shownTitle);
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${title === "" ? "" : `${title} – `}Scorel`;
  }, [count, title]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = icon.href.replace(/icon(-asking)?\.svg$/, count > 0 ? "icon-asking.svg" : "icon.svg");
  }, [count]);
}

/** What was said of a session. */
interface Told {
  sessionId: string;
  text: string;
}

/** Announces to screen readers which other sessions start to wait, or have something new. */
export function MarksTold({ device, place }: { device: Device; place: Place }) {
  const words = useWords();
  const projects = useStore(device.sessions.projects);
  const seen = useStore(device.seen);
  const shown = place.at === "session" ? place.sessionId : undefined;
  const before = useRef<ReadonlyMap<string, Mark | undefined>>(undefined);
  const [told, setTold] = useState<readonly Told[]>([]);
  useEffect(() => {
    if (!device.sessions.hasBegun) return;
    const sessions = sessionsOf(projects);
    const news = before.current ? newsOf(sessions, before.current, seen) : [];
    before.current = new Map(sessions.map((session) => [session.sessionId, markOf(session, seen)]));
    const isShown = ({ sessionId }: { sessionId: string }) => sessionId === shown;
    const others = news.filter(({ session }) => !isShown(session));
    const say = ({ mark, session }: (typeof news)[number]) => ({
      sessionId: session.sessionId,
      text: (mark === "asking" ? words.waitsNow : words.endedNow)(titleOf(session, words)),
    });
    // What was said of a session is over when it is shown.
    if (others.length > 0) setTold(others.map(say));
    else setTold((last) => (last.some(isShown) ? last.filter((each) => !isShown(each)) : last));
  }, [device, projects, seen, shown, words]);
  return (
    <p className="hidden" role="status">
      {told.map(({ text }) => text).join(" ")}
    </p>
  );
}
