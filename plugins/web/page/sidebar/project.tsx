import type { SessionSummary } from "@scorel/host/contract";
import { useState } from "react";
import { fragmentOf } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { useRights } from "../host/rights.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { useStore } from "../store.ts";
import { attempt } from "../ui/notes.ts";
import { markOf } from "../waiting/marks.ts";
import { useWords } from "../words/words.ts";
import { ago } from "./ago.ts";
import { removeProject } from "./project-actions.ts";
import { SessionMenu } from "./session-menu.tsx";
import { titleOf } from "./title.ts";

/** Number of sessions of a project that are shown before the person asks for all. */
const SHOWN = 8;

interface ProjectProps {
  device: Device;
  project: ProjectRow;
  chosen: string | undefined;
  isWhole: boolean;
}

/**
 * A project with its sessions. Archived sessions are shown only if the person asks for them, a search finds them, one is open, or it waits
 * for an answer.
 */
export function Project({ device, project, chosen, isWhole }: ProjectProps) {
  const words = useWords();
  const { write, manage } = useRights();
  const [isOpen, setOpen] = useState(false);
  const [isArchiveOpen, setArchiveOpen] = useState(false);
  const [kept, archived] = parted(
    project.sessions,
    (session) => !session.archived || isWhole || isMeant(session, chosen),
  );
  const shown = kept.filter((session, at) => isWhole || isOpen || at < SHOWN || isMeant(session, chosen));
  const name = safeLine(project.name);
  return (
    <section aria-label={name}>
      <h2 title={project.directory}>
        <span className="project-name">{name}</span>
        {manage && project.sessions.length === 0 && (
          <button
            type="button"
            className="icon-button"
            aria-label={words.removeProject(name)}
            title={words.removeProject(name)}
            onClick={() => attempt(() => removeProject(device, project, words))}
          >
            ✕
          </button>
        )}
        {write && (
          <a
            className="icon-button"
            href={fragmentOf({ at: "new", directory: project.directory })}
            aria-label={words.newSessionIn(name)}
            title={words.newSessionIn(name)}
          >
            +
          </a>
        )}
      </h2>
      <SessionRows device={device} sessions={shown} chosen={chosen} />
      {shown.length < kept.length && (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {words.showMore} ({kept.length})
        </button>
      )}
      {archived.length > 0 && (
        <button
          type="button"
          className="link archive"
          aria-expanded={isArchiveOpen}
          onClick={() => setArchiveOpen(!isArchiveOpen)}
        >
          {words.archived} ({archived.length})
        </button>
      )}
      {isArchiveOpen && <SessionRows device={device} sessions={archived} chosen={chosen} />}
    </section>
  );
}

/** The sessions for which `isIn` returns true, and the others. */
function parted(sessions: readonly SessionSummary[], isIn: (session: SessionSummary) => boolean) {
  const parts: [SessionSummary[], SessionSummary[]] = [[], []];
  for (const session of sessions) parts[isIn(session) ? 0 : 1].push(session);
  return parts;
}

/** Whether a session is always shown. */
function isMeant({ sessionId, questions }: SessionSummary, chosen: string | undefined): boolean {
  return sessionId === chosen || Boolean(questions?.length);
}

interface RowsProps {
  device: Device;
  sessions: readonly SessionSummary[];
  chosen: string | undefined;
}

function SessionRows({ device, sessions, chosen }: RowsProps) {
  const words = useWords();
  const { manage } = useRights();
  return (
    <ul>
      {sessions.map((session) => (
        <li key={session.sessionId} className="session-row">
          <SessionLink device={device} session={session} isChosen={session.sessionId === chosen} />
          {manage && (
            <SessionMenu
              device={device}
              sessionId={session.sessionId}
              title={titleOf(session, words)}
              isArchived={session.archived === true}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

interface SessionLinkProps {
  device: Device;
  session: SessionSummary;
  isChosen: boolean;
}

/** A link to a session, with its state or the time of its last message. */
export function SessionLink({ device, session, isChosen }: SessionLinkProps) {
  const words = useWords();
  const mark = markOf(session, useStore(device.seen));
  const names = { asking: words.waitingForYou, running: words.working, unread: words.unread };
  return (
    <a
      className="session-link"
      href={fragmentOf({ at: "session", sessionId: session.sessionId })}
      aria-current={isChosen ? "page" : undefined}
    >
      <span className={mark === "unread" ? "session-title unread" : "session-title"}>{titleOf(session, words)}</span>
      {session.copied && <small className="muted">{words.copyMark[session.copied]}</small>}
      {mark ? (
        <span className={`dot ${mark}`} role="img" aria-label={names[mark]} />
      ) : (
        <time className="muted">{ago(session.updatedAt, Date.now(), words)}</time>
      )}
    </a>
  );
}
