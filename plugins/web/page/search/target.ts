import { type RefObject, useEffect, useRef, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { goTo, usePlace } from "../app/place.ts";
import type { Entry, OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { tell } from "../ui/note.tsx";
import { useWords } from "../words/words.ts";

interface Target {
  /** The key of the message that was found, which is marked. */
  found: string | undefined;
  /** Called with the marked element when it is drawn. */
  shown(element: HTMLElement | null): void;
}

/**
 * Goes to the event that the address names: fetches what stands before it, shows it in the middle and gives it the focus. `leaveEnd` stops the
 * following of the end.
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
      // What arrives runs this again. Without a connection, that is when it is back.
      if (connection === "live") session.earlier().catch((thrown) => tell({ text: thrown.message, isProblem: true }));
      return;
    }
    // The address is the session's again, so that choosing the same message once more goes there once more.
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
