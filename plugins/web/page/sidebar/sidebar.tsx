import type { SessionSummary } from "@scorel/host/contract";
import { useState } from "react";
import { openWindow } from "../app/opened.ts";
import { fragmentOf } from "../app/place.ts";
import { signOut } from "../app/signing-out.ts";
import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { useRights } from "../host/rights.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { FoundInConversations } from "../search/found.tsx";
import { useStore } from "../store.ts";
import { Menu } from "../ui/menu.tsx";
import { attempt } from "../ui/note.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { markOf } from "../waiting/marks.ts";
import { WaitingButton } from "../waiting/waiting-button.tsx";
import { useWords, type Words } from "../words/words.ts";
import { ago } from "./ago.ts";
import { DeviceList } from "./device-list.tsx";
import { removeProject } from "./project-actions.ts";
import { SessionMenu } from "./session-menu.tsx";

/** Sessions of a project that are shown before all are asked for. */
const SHOWN = 8;

interface SidebarProps {
  device: Device;
  devices: Devices;
  chosen: string | undefined;
}

/** The devices, and all projects and sessions of the one that is shown. */
export function Sidebar({ device, devices, chosen }: SidebarProps) {
  const words = useWords();
  const { write, answer, manage } = useRights();
  const projects = useStore(device.sessions.projects);
  const problem = useStore(device.sessions.problem);
  const [wanted, setWanted] = useState("");
  const found = matching(projects, wanted);
  return (
    <>
      <header className="sidebar-head">
        <div className="title-line">
          <h1>Scorel</h1>
          <WaitingButton devices={devices} />
          <Menu
            label={words.moreActions}
            items={[
              { label: words.palette, run: () => openWindow({ window: "palette" }) },
              { label: words.help, run: () => openWindow({ window: "help" }) },
              ...(manage
                ? [
                    { label: words.addProject, run: () => openWindow({ window: "project" }) },
                    { label: words.deletedSessions, run: () => openWindow({ window: "trash" }) },
                  ]
                : []),
              ...(devices.own.rights.get().manage
                ? [{ label: words.deviceAdd, run: () => openWindow({ window: "device" }) }]
                : []),
              { label: words.signOut, run: () => void signOut(devices.own) },
            ]}
          >
            ⋯
          </Menu>
        </div>
        <DeviceList devices={devices} current={device.id} />
        <SearchField label={words.search} value={wanted} onChange={setWanted} />
      </header>
      {problem && <p role="alert">{problem.message}</p>}
      <div className="sidebar-list">
        {found.map((project) => (
          <Project key={project.id} device={device} project={project} chosen={chosen} isWhole={wanted !== ""} />
        ))}
        {found.length === 0 && <p className="muted">{wanted === "" ? words.noSessions : words.noTitle}</p>}
        <FoundInConversations device={device} wanted={wanted} />
        {!manage && <p className="muted">{words.limited(write, answer)}</p>}
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
  const { write, manage } = useRights();
  const [isOpen, setOpen] = useState(false);
  const isAll = isWhole || isOpen;
  const shown = project.sessions.filter(
    ({ sessionId, questions }, at) => isAll || at < SHOWN || sessionId === chosen || questions?.length,
  );
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
      <ul>
        {shown.map((session) => (
          <li key={session.sessionId} className="session-row">
            <SessionLink device={device} session={session} isChosen={session.sessionId === chosen} />
            {manage && <SessionMenu device={device} sessionId={session.sessionId} title={titleOf(session, words)} />}
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

interface SessionLinkProps {
  device: Device;
  session: SessionSummary;
  isChosen: boolean;
}

function SessionLink({ device, session, isChosen }: SessionLinkProps) {
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
      {mark ? (
        <span className={`dot ${mark}`} role="img" aria-label={names[mark]} />
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
