import { timeOf } from "../app/link-state.tsx";
import type { Device } from "../host/device.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** While the host cannot be reached, says how old the shown conversation is. */
export function KeptNote({ device, session }: { device: Device; session: OpenSession }) {
  const words = useWords();
  const { connection } = useStore(session.status);
  const since = useStore(device.awaySince);
  if (since === undefined || connection === "live" || connection === "closed") return null;
  const asOf = connection === "cached" ? (device.keptAt(session.id) ?? since) : since;
  return (
    <p className="muted rights" role="note">
      {words.keptAsOf(timeOf(asOf))}
    </p>
  );
}
