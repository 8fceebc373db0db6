import { useEffect, useRef } from "react";
import { NewChat } from "../chat/new-chat.tsx";
import { SessionPage } from "../chat/session-page.tsx";
import { watchQuestionFocus } from "../chat/text-focus.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { RightsContext } from "../host/rights.ts";
import { SessionLink } from "../sidebar/project.tsx";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { useStore } from "../store.ts";
import { keepFocus } from "../ui/focus-keeper.ts";
import { NoteBox } from "../ui/note.tsx";
import { watchOverlays } from "../ui/overlay.ts";
import { MarksTold, useLooking } from "../waiting/attention.tsx";
import { sessionsOf } from "../waiting/marks.ts";
import { WaitingBar } from "../waiting/waiting-button.tsx";
import { useWords } from "../words/words.ts";
import { forgetOpenedFiles } from "../work/panel-state.ts";
import { useDrawer } from "./drawer.ts";
import { LinkState } from "./link-state.tsx";
import { openWindow } from "./opened.ts";
import { usePageKeys } from "./page-keys.ts";
import { goTo, type Place, usePlace } from "./place.ts";
import { loadTheRest } from "./rest.ts";
import { watchTyping } from "./typing.ts";
import { Windows } from "./windows.tsx";

/** The page of a connected host: the list of sessions on the left, what is chosen on the right. */
export function Shell({ device, devices }: { device: Device; devices: Devices }) {
  const words = useWords();
  const place = usePlace();
  const list = useRef<HTMLElement>(null);
  const main = useRef<HTMLElement>(null);
  const { isOpen, open, close } = useDrawer(list, main);
  useLooking(device, place);
  useEffect(loadTheRest, []);
  useEffect(keepFocus, []);
  useEffect(watchTyping, []);
  useEffect(watchOverlays, []);
  useEffect(watchQuestionFocus, []);
  useEffect(() => forgetOpenedFiles, []);
  usePageKeys(device);
  return (
    <RightsContext value={useStore(device.rights)}>
      <div className={isOpen ? "shell with-sidebar" : "shell"}>
        <button type="button" className="skip" onClick={() => main.current?.focus()}>
          {words.skip}
        </button>
        <nav ref={list} className="sidebar" aria-label={words.sessions} tabIndex={-1}>
          <Sidebar device={device} devices={devices} chosen={place.at === "session" ? place.sessionId : undefined} />
        </nav>
        {isOpen && <button type="button" className="veil" aria-label={words.close} onClick={close} />}
        <main ref={main} className="main" tabIndex={-1} inert={isOpen}>
          <LinkState device={device} />
          <WaitingBar device={device} devices={devices} place={place} />
          <Chosen device={device} place={place} onMenu={open} />
        </main>
        <Windows device={device} devices={devices} />
        <NoteBox />
        <MarksTold device={device} place={place} />
      </div>
    </RightsContext>
  );
}

/** Number of projects and of sessions that the start page offers. The list has all of them. */
const OFFERED = 3;
const RECENT = 5;

/** Starts a session, if none is chosen yet. */
function Begin({ device }: { device: Device }) {
  const words = useWords();
  const { write, manage } = useStore(device.rights);
  const projects = useStore(device.sessions.projects);
  return (
    <p className="begin">
      {write &&
        projects.slice(0, OFFERED).map(({ id, name, directory }, at) => (
          <button
            key={id}
            type="button"
            className={at === 0 ? "primary" : undefined}
            onClick={() => goTo({ at: "new", directory })}
          >
            {words.beginIn(safeLine(name))}
          </button>
        ))}
      {manage && projects.length === 0 && (
        <button type="button" className="primary" onClick={() => openWindow({ window: "project" })}>
          {words.addProject}
        </button>
      )}
    </p>
  );
}

/** The sessions that were used last, in all projects. Shown if there is no room for the list of sessions. */
function Recent({ device }: { device: Device }) {
  const words = useWords();
  const sessions = sessionsOf(useStore(device.sessions.projects)).filter(({ archived }) => !archived);
  const recent = sessions.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, RECENT);
  if (recent.length === 0) return null;
  return (
    <section className="recent" aria-label={words.recent}>
      <h2>{words.recent}</h2>
      <ul>
        {recent.map((session) => (
          <li key={session.sessionId}>
            <SessionLink device={device} session={session} isChosen={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows what is chosen: a session, a new one, or the start page. */
function Chosen({ device, place, onMenu }: { device: Device; place: Place; onMenu(): void }) {
  const words = useWords();
  if (place.at === "session")
    return (
      <SessionPage key={device.keyOf(place.sessionId)} device={device} sessionId={place.sessionId} onMenu={onMenu} />
    );
  if (place.at === "new" && device.rights.get().write)
    return <NewChat key={place.directory} device={device} directory={place.directory} onMenu={onMenu} />;
  return (
    <div className="empty">
      <button type="button" className="menu-button" onClick={onMenu}>
        {words.menu}
      </button>
      <p className="muted">{place.at === "new" ? words.mayNotCreate(device.isPaired) : words.choose}</p>
      {place.at === "home" && <Begin device={device} />}
      {place.at === "home" && <Recent device={device} />}
    </div>
  );
}
