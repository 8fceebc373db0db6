import { sessionAddress } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { useRights } from "../host/rights.ts";
import type { OpenSession } from "../host/session.ts";
import { SessionMenu } from "../sidebar/session-menu.tsx";
import { useStore } from "../store.ts";
import { useTabTitle } from "../waiting/attention.tsx";
import { useWords } from "../words/words.ts";
import { Panel, PanelButton } from "../work/panel.tsx";
import { Spoken, useFocusBack } from "./attention.tsx";
import { useChatCommands } from "./chat-commands.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.tsx";
import { useDropping } from "./dropping.ts";
import { useField } from "./fields.ts";
import { KeptNote } from "./kept-note.tsx";
import { NoticeList } from "./notice-list.tsx";
import { Presence } from "./presence.tsx";
import { Questions } from "./questions.tsx";
import { Queue } from "./queue.tsx";
import { StatusLine } from "./status-line.tsx";
import { Stopped } from "./stopped.tsx";

/** A conversation, its queue, and the field to write in. */
export function Chat({ device, session, onMenu }: { device: Device; session: OpenSession; onMenu(): void }) {
  const words = useWords();
  const field = useField(device.keyOf(session.id));
  useFocusBack(session, field);
  const { isDropping, dropping } = useDropping(field);
  const { write, answer } = session.rights;
  const { manage } = useRights();
  const { meta, connection } = useStore(session.status);
  // Questions, the queue and choices are only known once the host has answered.
  const isHeard = connection !== "cached";
  useStore(device.sessions.projects);
  const row = device.sessions.find(session.id);
  const title = safeLine(String(meta.name ?? row?.name ?? row?.title ?? "")) || words.untitled;
  const parent = sessionAddress((meta.parent as { sessionId?: unknown } | undefined)?.sessionId);
  useTabTitle(title);
  useChatCommands(device.client, session, title);
  return (
    <div className="beside">
      <article className={isDropping ? "chat dropping" : "chat"} aria-label={title} {...(write && dropping)}>
        <header className="chat-head">
          <button type="button" className="menu-button" onClick={onMenu}>
            {words.menu}
          </button>
          <h2>{title}</h2>
          {parent !== undefined && <a href={parent}>{words.openParent}</a>}
          <PanelButton />
          {manage && (
            <SessionMenu
              device={device}
              sessionId={session.id}
              title={title}
              isArchived={device.sessions.find(session.id)?.archived === true}
            />
          )}
        </header>
        <Conversation client={device.client} session={session} field={field} />
        {!(write && answer) && (
          <p className="muted rights" role="note">
            {write ? words.mayNotAnswer : answer ? words.mayNotWrite : words.mayOnlyRead}
          </p>
        )}
        <Stopped session={session} />
        <Presence session={session} />
        <NoticeList session={session} />
        <KeptNote device={device} session={session} />
        {answer && isHeard && <Questions client={device.client} session={session} />}
        {write && isHeard && <Queue client={device.client} session={session} field={field} />}
        {write && <Composer client={device.client} session={session} field={field} />}
        <Spoken session={session} />
        {write && isHeard && <StatusLine client={device.client} session={session} />}
      </article>
      <Panel place={{ client: device.client, session, field }} />
    </div>
  );
}
