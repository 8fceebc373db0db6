import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { tell } from "../ui/notes.ts";
import { useWords, type Words } from "../words/words.ts";
import { coversConversation, panel } from "../work/panel-state.ts";
import { useKeys, useTypingAnywhere } from "./keys.ts";
import { neighbour, nextWaiting } from "./neighbours.ts";
import { openWindow } from "./opened.ts";
import { goTo, placeOf } from "./place.ts";

/** The parts of the page, in the order in which F6 moves through them. */
const PARTS = [".sidebar", ".scroller", ".composer textarea", ".question"];

/** Keys of the page as a whole. */
export function usePageKeys(device: Device): void {
  const words = useWords();
  const { projects } = device.sessions;
  const step = (by: number) => {
    const next = neighbour(projects.get(), placeOf(location.hash), by);
    if (next !== undefined) goTo({ at: "session", sessionId: next });
  };
  useKeys({
    "mod-k": () => openWindow({ window: "palette" }),
    "/": () => focusSearch(),
    "?": () => openWindow({ window: "help" }),
    j: () => step(1),
    k: () => step(-1),
    w: () => goToWaiting(projects.get(), words),
    q: () => openWindow({ window: "waiting" }),
    n: () => device.rights.get().write && goToNew(projects.get()),
    i: () => document.querySelector<HTMLElement>(".composer textarea")?.focus(),
    f6: () => focusPart(1),
    "shift-f6": () => focusPart(-1),
  });
  // After the keys above, which are not text.
  useTypingAnywhere(() => !(panel.get().isOpen && coversConversation()));
}

/** Opens the next session that waits for an answer, or says that there is none. */
export function goToWaiting(projects: readonly ProjectRow[], words: Words): void {
  const next = nextWaiting(projects, placeOf(location.hash));
  if (next === undefined) tell({ text: words.nothingWaits });
  else goTo({ at: "session", sessionId: next });
}

/** Starts a session in the project of the shown session, or else in the first project. */
function goToNew(projects: readonly ProjectRow[]): void {
  const place = placeOf(location.hash);
  const isShown = ({ sessions }: ProjectRow) =>
    place.at === "session" && sessions.some(({ sessionId }) => sessionId === place.sessionId);
  const { directory } = projects.find(isShown) ?? projects[0] ?? {};
  if (directory !== undefined) goTo({ at: "new", directory });
}

/** Moves the focus to the search field, if it is visible. */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>(".sidebar input[type=search]");
  if (field?.checkVisibility({ visibilityProperty: true })) field.focus();
}

/** Moves the focus to the next visible part of the page, or to the previous one if `by` is -1. */
function focusPart(by: number): void {
  const parts = PARTS.flatMap((part) => document.querySelector<HTMLElement>(part) ?? []).filter((part) =>
    part.checkVisibility({ visibilityProperty: true }),
  );
  const at = parts.findIndex((part) => part.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : parts.length - 1) : (at + by + parts.length) % parts.length;
  parts[next]?.focus();
}
