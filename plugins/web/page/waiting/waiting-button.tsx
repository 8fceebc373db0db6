import { openWindow } from "../app/opened.ts";
import type { Place } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { waitingIn } from "./marks.ts";

/** Opens the list of all that waits. It says how much that is. */
export function WaitingButton({ device }: { device: Device }) {
  const words = useWords();
  const { length: count } = waitingIn(useStore(device.sessions.projects));
  return (
    <button
      type="button"
      className={count > 0 ? "waiting-button some" : "waiting-button"}
      title={words.waitingCount(count)}
      onClick={() => openWindow({ window: "waiting" })}
    >
      {words.waitingShort(count)}
    </button>
  );
}

/** The same above a session, where the list of sessions has no room beside it and others wait. */
export function WaitingBar({ device, place }: { device: Device; place: Place }) {
  const words = useWords();
  const shown = place.at === "session" ? place.sessionId : undefined;
  const others = waitingIn(useStore(device.sessions.projects)).filter(({ sessionId }) => sessionId !== shown);
  if (others.length === 0) return null;
  return (
    <button type="button" className="waiting-bar" onClick={() => openWindow({ window: "waiting" })}>
      {words.waitingCount(others.length)}
    </button>
  );
}
