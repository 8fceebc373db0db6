import type { SessionSummary } from "@scorel/host/contract";
import { useState } from "react";
import { openWindow } from "../app/opened.ts";
import { fragmentOf } from "../app/place.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { useStore } from "../store.ts";
import { Menu } from "../ui/menu.tsx";
import { attempt } from "../ui/note.tsx";
import { useWords, type Words } from "../words/words.ts";
import { ago } from "./ago.ts";
import { removeProject } from "./project-actions.ts";
import { SessionMenu } from "./session-menu.tsx";

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
        <div className="title-line">
          <h1>Scorel</h1>
          <Menu
            label={words.moreActions}
            items={[
              { label: words.addProject, run: () => openWindow({ window: "project" }) },
              { label: words.deletedSessions, run: () => openWindow({ window: "trash" }) },
            ]}
          >
            ⋯
          </Menu>
        </div>
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
          <Project key={project.id} device={device} project={project} chosen={chosen} isWhole={wanted !== ""} />
        ))}
        {found.length === 0 && <p className="muted">{wanted === "" ? words.noSessions : words.nothingFound}</p>}
      </div>
    </>
  );
}

interface ProjectProps {
  device: Device;
  project: ProjectRow;
  chosen: string | undefined;
  isWhole: boolean;
}

function Project({ device, project, chosen, isWhole }: ProjectProps) {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const isAll = isWhole || isOpen;
  const shown = project.sessions.filter(({ sessionId }, at) => isAll || at < SHOWN || sessionId === chosen);
  const name = safeLine(project.name);
  return (
    <section aria-label={name}>
      <h2 title={project.directory}>
        <span className="project-name">{name}</span>
        {project.sessions.length === 0 && (
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
          <li key={session.sessionId} className="session-row">
            <SessionLink session={session} isChosen={session.sessionId === chosen} />
            <SessionMenu device={device} sessionId={session.sessionId} title={titleOf(session, words)} />
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
  const state = session.questions?.length ? "asking" : session.running ? "running" : undefined;
  return (
    <a
      className="session-link"
      href={fragmentOf({ at: "session", sessionId: session.sessionId })}
      aria-current={isChosen ? "page" : undefined}
    >
      <span className="session-title">{titleOf(session, words)}</span>
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

/** The title of a session as it is shown. */
export function titleOf({ name, title }: Pick<SessionSummary, "name" | "title">, { untitled }: Words): string {
  return safeLine(name ?? title) || untitled;
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
