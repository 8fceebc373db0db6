import { useEffect, useState } from "react";
import { NewChat } from "../chat/new-chat.tsx";
import { SessionPage } from "../chat/session-page.tsx";
import type { Device } from "../host/device.ts";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { useStore } from "../store.ts";
import { NoteBox } from "../ui/note.tsx";
import { useWords } from "../words/words.ts";
import { LinkState } from "./link-state.tsx";
import { usePlace } from "./place.ts";
import { Windows } from "./windows.tsx";

/** The page of a host that is connected: what there is at the left, what is chosen at the right. */
export function Shell({ device }: { device: Device }) {
  const words = useWords();
  const place = usePlace();
  const [isOpen, setOpen] = useState(false);
  const chosen = place.at === "session" ? place.sessionId : undefined;
  useTitle(device);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place was chosen, so the list has done its work.
  useEffect(() => setOpen(false), [location.hash]);
  return (
    <div className={isOpen ? "shell with-sidebar" : "shell"}>
      <nav className="sidebar" aria-label={words.sessions}>
        <Sidebar device={device} chosen={chosen} />
      </nav>
      {isOpen && <button type="button" className="veil" aria-label={words.close} onClick={() => setOpen(false)} />}
      <main className="main">
        <LinkState device={device} />
        {place.at === "session" ? (
          <SessionPage key={place.sessionId} device={device} sessionId={place.sessionId} onMenu={() => setOpen(true)} />
        ) : place.at === "new" ? (
          <NewChat key={place.directory} device={device} directory={place.directory} onMenu={() => setOpen(true)} />
        ) : (
          <div className="empty">
            <button type="button" className="menu-button" onClick={() => setOpen(true)}>
              {words.menu}
            </button>
            <p className="muted">{words.choose}</p>
          </div>
        )}
      </main>
      <Windows device={device} />
      <NoteBox />
    </div>
  );
}

/** The title of the tab tells how many sessions wait for an answer. */
function useTitle({ sessions }: Device) {
  const projects = useStore(sessions.projects);
  useEffect(() => {
    const asking = projects.flatMap((project) => project.sessions).filter(({ questions }) => questions?.length);
    document.title = asking.length > 0 ? `(${asking.length}) Scorel` : "Scorel";
  }, [projects]);
}
