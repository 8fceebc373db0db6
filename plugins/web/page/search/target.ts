import { type RefObject, useEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { goTo, usePlace } from "../app/place.ts";
import type { Entry, OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { tell } from "../ui/notes.ts";
import { useWords } from "../words/words.ts";

interface Target {
  /** Key of the message that was found, which is highlighted. */
  found: string | undefined;
  /** Called with the highlighted element when it is rendered. */
  shown(element: HTMLElement | null): void;
}

/**
 * Scrolls to the event that the URL names: fetches the events before it, centers it and focuses it. `leaveEnd` stops keeping the end in
 * view.
 */
export function useTarget(
  session: OpenSession,
  entries: readonly Entry[],
  list: RefObject<VirtualizerHandle | null>,
  leaveEnd: () => void,
): Target {
  const words = useWords();
  const place = usePlace();
  const { connection } = useStore(session.status);
  const wanted = place.at === "session" && place.sessionId === session.id ? place.eventId : undefined;
  const [found, setFound] = useState<string>();
  const isFocusDue = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the list may have brought the event.
  useEffect(() => {
    if (wanted === undefined) return;
    const at = entries.findIndex(({ key }) => key === wanted);
    if (at < 0 && !session.isElsewhere(wanted) && session.hasEarlier) {
      // New entries run this effect again; without a connection, they come when it is back.
      if (connection === "live") session.earlier().catch((thrown) => tell({ text: thrown.message, isProblem: true }));
      return;
    }
    // Removes the event from the URL, so that choosing the same message once more scrolls there again.
    goTo({ at: "session", sessionId: session.id }, { replace: true });
    if (at < 0) return tell({ text: session.isElsewhere(wanted) ? words.onOtherBranch : words.notInConversation });
    leaveEnd();
    isFocusDue.current = true;
    setFound(wanted);
    list.current?.scrollToIndex(at, { align: "center" });
  }, [wanted, entries, connection]);
  const shown = (element: HTMLElement | null) => {
    if (!element || !isFocusDue.current) return;
    isFocusDue.current = false;
    element.focus({ preventScroll: true });
  };
  return { found, shown };
}
