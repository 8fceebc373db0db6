import type { SessionSummary } from "@scorel/host/contract";
import { useState } from "react";
import { fragmentOf } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { ago } from "./ago.ts";

/** Sessions of a project that are shown before all are asked for. */
const SHOWN = 8;

/** All projects and their sessions. */
export function Sidebar({ device, chosen }: { device: Device; chosen: string | undefined }) {
  const words = useWords();
  const projects = useStore(device.sessions.projects);
  const problem = useStore(device.sessions.problem);
  const [wanted, setWanted] = useState("");
  const found = matching(projects, wanted);
  return (
    <>
      <header className="sidebar-head">
        <h1>Scorel</h1>
        <input
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      </header>
      {problem && <p role="alert">{problem.message}</p>}
      <div className="sidebar-list">
        {found.map((project) => (
          <Project key={project.id} project={project} chosen={chosen} isWhole={wanted !== ""} />
        ))}
        {found.length === 0 && <p className="muted">{wanted === "" ? words.noSessions : words.nothingFound}</p>}
      </div>
    </>
  );
}

function Project({ project, chosen, isWhole }: { project: ProjectRow; chosen: string | undefined; isWhole: boolean }) {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const isAll = isWhole || isOpen;
  const shown = project.sessions.filter(({ sessionId }, at) => isAll || at < SHOWN || sessionId === chosen);
  const name = safeLine(project.name);
  return (
    <section aria-label={name}>
      <h2 title={project.directory}>
        <span>{name}</span>
        <a
          className="icon-button"
          href={fragmentOf({ at: "new", directory: project.directory })}
          aria-label={words.newSessionIn(name)}
          title={words.newSessionIn(name)}
        >
          +
        </a>
      </h2>
      <ul>
        {shown.map((session) => (
          <li key={session.sessionId}>
            <SessionLink session={session} isChosen={session.sessionId === chosen} />
          </li>
        ))}
      </ul>
      {shown.length < project.sessions.length && (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {words.showMore} ({project.sessions.length})
        </button>
      )}
    </section>
  );
}

function SessionLink({ session, isChosen }: { session: SessionSummary; isChosen: boolean }) {
  const words = useWords();
  const title = safeLine(session.name ?? session.title) || words.untitled;
  const state = session.questions?.length ? "asking" : session.running ? "running" : undefined;
  return (
    <a
      className="session-link"
      href={fragmentOf({ at: "session", sessionId: session.sessionId })}
      aria-current={isChosen ? "page" : undefined}
    >
      <span className="session-title">{title}</span>
      {state ? (
        <span
          className={`dot ${state}`}
          role="img"
          aria-label={state === "asking" ? words.waitingForYou : words.working}
        />
      ) : (
        <time className="muted">{ago(session.updatedAt, Date.now(), words)}</time>
      )}
    </a>
  );
}

/** The projects with the sessions whose title has all wanted words; all without any. */
export function matching(projects: readonly ProjectRow[], wanted: string): readonly ProjectRow[] {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return projects;
  return projects.flatMap((project) => {
    const sessions = project.sessions.filter(({ name = "", title }) => {
      const text = `${project.name} ${name} ${title}`.toLowerCase();
      return parts.every((part) => text.includes(part));
    });
    return sessions.length > 0 ? [{ ...project, sessions }] : [];
  });
}
