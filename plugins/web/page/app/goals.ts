import { safeLine } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { useRights } from "../host/rights.ts";
import { titleOf } from "../sidebar/title.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import type { Command } from "./commands.ts";
import { openWindow } from "./opened.ts";
import { goToWaiting } from "./page-keys.ts";
import { goTo } from "./place.ts";

/** Commands that are available everywhere: sessions to open, projects to start one in, and dialogs. */
export function useGoals(device: Device, devices: Devices): Command[] {
  const words = useWords();
  const { write, manage } = useRights();
  const projects = useStore(device.sessions.projects);
  const others = useStore(devices.others);
  const hosts: Command[] = [{ id: "", name: devices.own.name ?? words.thisHost }, ...others]
    .filter(({ id }) => id !== device.id)
    .map(({ id, name }) => ({
      id: `device ${id}`,
      label: words.goToDevice(safeLine(name)),
      run: () => goTo({ at: "home" }, { device: id }),
    }));
  const adding: Command = {
    id: "device",
    label: words.deviceAdd,
    run: () => openWindow({ window: devices.mayAdd() === "paired" ? "pair" : "device" }),
  };
  const windows: Command[] = [
    { id: "waiting", label: words.goToWaiting, keys: "W", run: () => goToWaiting(projects, words) },
    { id: "all waiting", label: words.allWaiting, keys: "Q", run: () => openWindow({ window: "waiting" }) },
    { id: "help", label: words.help, keys: "?", run: () => openWindow({ window: "help" }) },
  ];
  const managing: Command[] = [
    { id: "project", label: words.addProject, run: () => openWindow({ window: "project" }) },
    { id: "trash", label: words.deletedSessions, run: () => openWindow({ window: "trash" }) },
  ];
  const begins = projects.map(({ id, name, directory }) => ({
    id: `new ${id}`,
    label: words.newSessionIn(safeLine(name)),
    detail: safeLine(directory),
    run: () => goTo({ at: "new", directory }),
  }));
  const sessions = projects.flatMap(({ name, sessions }) =>
    sessions.map((session) => ({
      id: session.sessionId,
      label: titleOf(session, words),
      detail: safeLine(name),
      run: () => goTo({ at: "session", sessionId: session.sessionId }),
    })),
  );
  return [
    ...(write ? begins : []),
    ...windows,
    ...(manage ? managing : []),
    ...(devices.mayAdd() ? [adding] : []),
    ...hosts,
    ...sessions,
  ];
}
