import { changeQueue, type RemoteClient } from "@scorel/host/client";
import { safeLine } from "../display/safe.ts";
import type { OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { textOf } from "./content.ts";

/** The messages that wait for the turn to end. */
export function Queue({ client, session }: { client: RemoteClient; session: OpenSession }) {
  const words = useWords();
  const queue = useStore(session.queue);
  if (queue.length === 0) return null;
  const remove = (id: string) =>
    void changeQueue(client, session.id, (items) => items.filter((item) => item.id !== id));
  const steer = (id: string) =>
    void changeQueue(client, session.id, (items) =>
      items.map((item) => (item.id === id ? { ...item, mode: "steer" } : item)),
    );
  return (
    <section className="queue" aria-label={words.queued}>
      <ul>
        {queue.map(({ id, mode, content }) => (
          <li key={id}>
            <span className="queue-text">{safeLine(textOf(content))}</span>
            <span className="muted">{mode === "steer" ? words.queuedSteer : words.queuedFollowUp}</span>
            {mode !== "steer" && (
              <button type="button" className="link" onClick={() => steer(id)}>
                {words.steer}
              </button>
            )}
            <button type="button" className="link" onClick={() => remove(id)}>
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
