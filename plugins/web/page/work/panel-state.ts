import { Store } from "../store.ts";

/** What the panel beside a conversation shows. */
export const TABS = ["changes", "files", "usage", "skills", "branches", "health"] as const;
export type Tab = (typeof TABS)[number];

interface Panel {
  isOpen: boolean;
  tab: Tab;
}

const KEY = "scorel.panel";

/** Whether the panel beside the conversation is open, and with what. It is remembered. */
export const panel = new Store<Panel>(remembered());

export function showPanel(change: Partial<Panel>): void {
  const next = { ...panel.get(), ...change };
  panel.set(next);
  try {
    localStorage.setItem(KEY, `${next.isOpen ? "open" : "closed"} ${next.tab}`);
  } catch {
    // Without storage, it is as it is as long as the page is open.
  }
}

/** The file that is shown of each session. */
export const openedFiles = new Store<ReadonlyMap<string, string>>(new Map());

/** Shows a file of a session's project in the panel. */
export function openFile(sessionId: string, path: string): void {
  openedFiles.set(new Map([...openedFiles.get(), [sessionId, path]]));
  showPanel({ isOpen: true, tab: "files" });
}

/** Another device may have sessions of the same ids. */
export function forgetOpenedFiles(): void {
  openedFiles.set(new Map());
}

/** Where it would cover the conversation, it is closed at first. */
function remembered(): Panel {
  const [state, tab] = (stored() ?? "").split(" ");
  const known = TABS.find((each) => each === tab) ?? "changes";
  return { isOpen: state === "open" && matchMedia("(min-width: 64rem)").matches, tab: known };
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
