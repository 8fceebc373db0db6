import { openWindow } from "../app/opened.ts";
import type { Place } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { waitingIn } from "./marks.ts";

/** A button with the number of waiting sessions, which opens their list. */
export function WaitingButton({ devices }: { devices: Devices }) {
  const words = useWords();
  const count = useAllWaiting(devices);
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

/** The button above a session, shown if other sessions wait and the list of sessions is not shown beside it. */
export function WaitingBar({ device, devices, place }: { device: Device; devices: Devices; place: Place }) {
  const words = useWords();
  const shown = place.at === "session" ? place.sessionId : undefined;
  const here = waitingIn(useStore(device.sessions.projects));
  const others = useAllWaiting(devices) - here.filter(({ sessionId }) => sessionId === shown).length;
  if (others <= 0) return null;
  return (
    <button type="button" className="waiting-bar" onClick={() => openWindow({ window: "waiting" })}>
      {words.waitingCount(others)}
    </button>
  );
}

/** Number of sessions of all devices that wait for an answer. */
export function useAllWaiting({ waiting }: Devices): number {
  return [...useStore(waiting).values()].reduce((sum, count) => sum + count, 0);
}
