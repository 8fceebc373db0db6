import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";

/** Says below the message that its turn was stopped before the first word of a reply. */
export function Stopped({ session }: { session: OpenSession }) {
  const words = useWords();
  const isStopped = useStore(session.isStopped);
  return (
    <div role="status" className="presence stopped muted">
      {isStopped && words.stopped}
    </div>
  );
}
