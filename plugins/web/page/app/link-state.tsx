import { useEffect, useState } from "react";
import { safeText } from "../display/safe.ts";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** Says that the host cannot be reached, how old the shown data is, and when the next attempt is. */
export function LinkState({ device }: { device: Device }) {
  const words = useWords();
  const link = useStore(device.link);
  const since = useStore(device.awaySince);
  const asOf = useStore(device.sessions.asOf);
  const isKnown = useStore(device.sessions.isKnown);
  const isUnproven = useStore(device.isUnproven);
  const now = useSeconds(link.state === "waiting");
  if (since === undefined) return null;
  const isWaiting = link.state === "waiting";
  const hasStopped = isWaiting && link.hostStopped === true;
  const unreachable = device.id === "" ? words.unreachable : words.deviceUnreachable(device.address, location.origin);
  const relayed = device.relay !== undefined && isWaiting && words.deviceRelayed(device.relay, safeText(link.reason));
  const lost = asOf === undefined && isKnown ? words.lost : unreachable;
  const reason = isUnproven
    ? words.unproven(device.id === "" ? location.origin : device.address)
    : hasStopped
      ? words.hostStopped
      : relayed || lost;
  return (
    <div className="banner" role="status">
      {reason} {isKnown && `${words.shownAsOf(timeOf(asOf ?? since))} `}
      {isWaiting ? words.reconnecting(Math.max(0, Math.ceil((link.at - now) / 1_000))) : words.connecting}{" "}
      {/* Stays during attempts; otherwise it would disappear under the finger. */}
      <button type="button" onClick={() => device.client.hurry()}>
        {words.reconnectNow}
      </button>
      {!isUnproven && (
        <span className="muted">
          {" "}
          {words.startHost} <code>scorel up</code>
        </span>
      )}
    </div>
  );
}

/** Formats a time in the language of the page. */
export function timeOf(at: number): string {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  return format.format(at);
}

/** The current time in milliseconds since 1970, updated each second while `isNeeded`. */
export function useSeconds(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}
