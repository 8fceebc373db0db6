import { useEffect, useState } from "react";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** Says that the connection was lost, and when it is tried again. */
export function LinkState({ device }: { device: Device }) {
  const words = useWords();
  const link = useStore(device.link);
  const now = useSeconds(link.state === "waiting");
  if (link.state !== "waiting") return null;
  return (
    <div className="banner" role="status">
      {link.hostStopped && `${words.hostStopped} `}
      {words.reconnecting(Math.max(0, Math.ceil((link.at - now) / 1_000)), link.hostStopped === true)}{" "}
      <button type="button" onClick={() => device.client.hurry()}>
        {words.reconnectNow}
      </button>
    </div>
  );
}

/** The time, each second while it `isNeeded`, in milliseconds since 1970. */
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
