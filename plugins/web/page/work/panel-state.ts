import { Store } from "../store.ts";

/** The tabs of the panel beside a conversation. */
export const TABS = ["changes", "files", "usage", "skills", "branches", "health"] as const;
export type Tab = (typeof TABS)[number];

interface Panel {
  isOpen: boolean;
  tab: Tab;
}

const KEY = "scorel.panel";

/** Whether the panel beside the conversation is open, and its tab. Stored in this browser. */
export const panel = new Store<Panel>(remembered());

/** Opens, closes or switches the panel, and stores its state. */
export function showPanel(change: Partial<Panel>): void {
  const next = { ...panel.get(), ...change };
  panel.set(next);
  try {
    localStorage.setItem(KEY, `${next.isOpen ? "open" : "closed"} ${next.tab}`);
  } catch {
    // Without storage, the state lasts as long as the page.
  }
}

/** Path of the file that is open in the panel, by session. */
export const openedFiles = new Store<ReadonlyMap<string, string>>(new Map());

/** Opens a file of a session's project in the panel. */
export function openFile(sessionId: string, path: string): void {
  openedFiles.set(new Map([...openedFiles.get(), [sessionId, path]]));
  showPanel({ isOpen: true, tab: "files" });
}

/** Closes all files, since another device may have sessions with the same ids. */
export function forgetOpenedFiles(): void {
  openedFiles.set(new Map());
}

/** Whether the panel covers the conversation, and is not beside it (style/panel.css). */
export function coversConversation(): boolean {
  return !matchMedia("(min-width: 64rem)").matches;
}

/** Closed at first if it would cover the conversation. */
function remembered(): Panel {
  const [state, tab] = (stored() ?? "").split(" ");
  const known = TABS.find((each) => each === tab) ?? "changes";
  return { isOpen: state === "open" && !coversConversation(), tab: known };
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
