import { useEffect, useRef } from "react";
import { NewChat } from "../chat/new-chat.tsx";
import { SessionPage } from "../chat/session-page.tsx";
import type { Device } from "../host/device.ts";
import { RightsContext } from "../host/rights.ts";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { useStore } from "../store.ts";
import { keepFocus } from "../ui/focus-keeper.ts";
import { NoteBox } from "../ui/note.tsx";
import { MarksTold, useBadge, useLooking } from "../waiting/attention.tsx";
import { Notifications } from "../waiting/notifications.ts";
import { WaitingBar } from "../waiting/waiting-button.tsx";
import { useWords } from "../words/words.ts";
import { useDrawer } from "./drawer.ts";
import { LinkState } from "./link-state.tsx";
import { usePageKeys } from "./page-keys.ts";
import { type Place, usePlace } from "./place.ts";
import { Windows } from "./windows.tsx";

/** The page of a host that is connected: what there is at the left, what is chosen at the right. */
export function Shell({ device }: { device: Device }) {
  const words = useWords();
  const place = usePlace();
  const list = useRef<HTMLElement>(null);
  const main = useRef<HTMLElement>(null);
  const { isOpen, open, close } = useDrawer(list, main);
  useBadge(device);
  useLooking(device, place);
  useEffect(() => new Notifications(device, words).begin(), [device, words]);
  useEffect(keepFocus, []);
  usePageKeys(device);
  return (
    <RightsContext value={useStore(device.rights)}>
      <div className={isOpen ? "shell with-sidebar" : "shell"}>
        <button type="button" className="skip" onClick={() => main.current?.focus()}>
          {words.skip}
        </button>
        <nav ref={list} className="sidebar" aria-label={words.sessions} tabIndex={-1}>
          <Sidebar device={device} chosen={place.at === "session" ? place.sessionId : undefined} />
        </nav>
        {isOpen && <button type="button" className="veil" aria-label={words.close} onClick={close} />}
        <main ref={main} className="main" tabIndex={-1} inert={isOpen}>
          <LinkState device={device} />
          <WaitingBar device={device} place={place} />
          <Chosen device={device} place={place} onMenu={open} />
        </main>
        <Windows device={device} />
        <NoteBox />
        <MarksTold device={device} place={place} />
      </div>
    </RightsContext>
  );
}

/** What is chosen: a session, a new one, or nothing yet. */
function Chosen({ device, place, onMenu }: { device: Device; place: Place; onMenu(): void }) {
  const words = useWords();
  if (place.at === "session")
    return <SessionPage key={place.sessionId} device={device} sessionId={place.sessionId} onMenu={onMenu} />;
  if (place.at === "new" && device.rights.get().write)
    return <NewChat key={place.directory} device={device} directory={place.directory} onMenu={onMenu} />;
  return (
    <div className="empty">
      <button type="button" className="menu-button" onClick={onMenu}>
        {words.menu}
      </button>
      <p className="muted">{place.at === "new" ? words.mayNotCreate : words.choose}</p>
    </div>
  );
}
