import { useRef, useState } from "react";
import { openWindow } from "../app/opened.ts";
import { signOut } from "../app/signing-out.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { useRights } from "../host/rights.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { useArrows } from "../search/arrows.ts";
import { FoundInConversations } from "../search/found.tsx";
import { useStore } from "../store.ts";
import { Menu } from "../ui/menu.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { WaitingButton } from "../waiting/waiting-button.tsx";
import { useWords } from "../words/words.ts";
import { DeviceList } from "./device-list.tsx";
import { Project } from "./project.tsx";

interface SidebarProps {
  device: Device;
  devices: Devices;
  chosen: string | undefined;
}

/** The devices, and all projects and sessions of the shown device. */
export function Sidebar({ device, devices, chosen }: SidebarProps) {
  const words = useWords();
  const { write, answer, manage } = useRights();
  const projects = useStore(device.sessions.projects);
  const problem = useStore(device.sessions.problem);
  const [wanted, setWanted] = useState("");
  const found = matching(projects, wanted);
  const list = useRef<HTMLDivElement>(null);
  useArrows(list, wanted !== "");
  const adding = devices.mayAdd();
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
              ...(adding
                ? [
                    {
                      label: words.deviceAdd,
                      run: () => openWindow({ window: adding === "paired" ? "pair" : "device" }),
                    },
                  ]
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
      <div className="sidebar-list" ref={list}>
        {found.map((project) => (
          <Project key={project.id} device={device} project={project} chosen={chosen} isWhole={wanted !== ""} />
        ))}
        {found.length === 0 && <p className="muted">{wanted === "" ? words.noSessions : words.noTitle}</p>}
        <FoundInConversations device={device} wanted={wanted} />
        {!manage && <p className="muted">{words.limited(write, answer, device.isPaired)}</p>}
      </div>
    </>
  );
}

/** The projects with the sessions whose titles contain all wanted words. All of them if nothing is wanted. */
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
