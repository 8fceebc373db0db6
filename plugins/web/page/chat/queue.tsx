import { changeQueue, inSendingOrder, takeBackQueued } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import { safeLine } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { ownPictures, textOf } from "./content.ts";
import { attempt, type ChatPlace } from "./deeds.ts";
import { messageOf } from "./line.ts";

/** The queue: messages that wait for the end of the turn or, if none is running, for the next one, in the order in which they are sent. */
export function Queue(place: ChatPlace) {
  const words = useWords();
  const { session } = place;
  const queue = inSendingOrder(useStore(session.queue));
  const { running } = useStore(session.status);
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label={words.queued}>
      <ul>
        {queue.map((item, at) => (
          <Waiting
            key={item.id}
            place={place}
            item={item}
            isRunning={running}
            isFirst={queue[at - 1]?.mode !== item.mode}
            isLast={queue[at + 1]?.mode !== item.mode}
          />
        ))}
      </ul>
    </section>
  );
}

interface WaitingProps {
  place: ChatPlace;
  item: QueuedMessage;
  isRunning: boolean;
  /** Whether it is the first of those that are sent at the same time, and cannot be moved up. */
  isFirst: boolean;
  isLast: boolean;
}

/** A message in the queue. Only its author may change it, while present. */
function Waiting({ place, item, isRunning, isFirst, isLast }: WaitingProps) {
  const words = useWords();
  const { people } = place.session;
  useStore(people.met);
  const isTheirs = useStore(people.present).has(item.clientId) && !people.isOwn(item.clientId);
  const author = people.nameOf(item.clientId);
  const when = !isRunning ? words.queuedIdle : item.mode === "steer" ? words.queuedSteer : words.queuedFollowUp;
  return (
    <li>
      <span className="queue-text">
        {author !== undefined && <strong>{safeLine(author)}: </strong>}
        {shown(item, words.picture)}
      </span>
      <span className="muted">{when}</span>
      <span className="queue-keys">
        <Key label={words.moveUp} sign="↑" isOff={isFirst} run={() => move(place, item.id, -1)} />
        <Key label={words.moveDown} sign="↓" isOff={isLast} run={() => move(place, item.id, 1)} />
        {(item.mode !== "steer" || !isRunning) && (
          <Key label={isRunning ? words.steer : words.sendNow} run={() => steer(place, item.id, isRunning)} />
        )}
        {!isTheirs && <Key label={words.edit} run={() => edit(place, item.id)} />}
        {!isTheirs && <Key label={words.remove} run={() => remove(place, item.id)} />}
      </span>
    </li>
  );
}

/** A button for a message in the queue, shown with its name or a symbol. */
function Key({ label, sign, isOff = false, run }: { label: string; sign?: string; isOff?: boolean; run(): void }) {
  return (
    <button
      type="button"
      className={sign === undefined ? "link" : "icon-button"}
      aria-label={sign === undefined ? undefined : label}
      disabled={isOff}
      onClick={run}
    >
      {sign ?? label}
    </button>
  );
}

/** A message as one line. */
function shown({ content }: QueuedMessage, picture: string): string {
  const pictures = ownPictures(content).length;
  return safeLine(`${textOf(content)}${pictures > 0 ? ` [${picture} × ${pictures}]` : ""}`);
}

function move({ client, session, field }: ChatPlace, id: string, by: number): void {
  void attempt(field, () =>
    changeQueue(client, session.id, (stored, queue) => {
      const items = inSendingOrder(queue).flatMap(({ id }) => stored.filter((item) => item.id === id));
      const at = items.findIndex((item) => item.id === id);
      const [moved] = at < 0 ? [] : items.splice(at, 1);
      if (!moved) return undefined;
      items.splice(Math.max(0, Math.min(at + by, items.length)), 0, moved);
      return items;
    }),
  );
}

/** Steers the running turn with the message. If none is running, starts a turn with the whole queue. */
function steer({ client, session, field }: ChatPlace, id: string, isRunning: boolean): void {
  void attempt(field, async () => {
    if (!isRunning) return client.request("run_queue", { sessionId: session.id });
    return changeQueue(client, session.id, (items) =>
      items.some((item) => item.id === id)
        ? items.map((item) => (item.id === id ? { ...item, mode: "steer" } : item))
        : undefined,
    );
  });
}

function remove({ client, session, field }: ChatPlace, id: string): void {
  void attempt(field, () => takeBackQueued(client, session.id, (item) => item.id === id));
}

/** Moves the message from the queue to the field, so that it is not sent while it is being changed. */
function edit({ client, session, field }: ChatPlace, id: string): void {
  void attempt(field, async () => {
    for (const { content } of await takeBackQueued(client, session.id, (item) => item.id === id)) {
      field.put(messageOf(textOf(content)));
      field.pictures.addAll(ownPictures(content));
    }
  });
}
