import { inSendingOrder } from "@scorel/host/client";
import type { QueuedMessage } from "@scorel/host/contract";
import { type Entered, enteredIn, joined } from "../input/line-mode.ts";
import { illustrated } from "../input/picture-marks.ts";
import type { Keys } from "../keys.ts";
import type { Field, Submission } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { Conversation } from "./conversation.ts";
import { HeldMessage } from "./held-message.ts";
import type { ShownSession } from "./shown-session.ts";

/** The parts of the application that the keys for queued messages use. */
interface QueueKeysParts {
  keys: Keys;
  words: Words;
  session: Pick<ShownSession, "sessionId" | "view" | "people" | "isRunning">;
  conversation: Pick<Conversation, "changeQueue" | "runQueue" | "send">;
  field(): (Pick<Field, "text" | "setText"> & Partial<Pick<Field, "mode" | "silent" | "attachments">>) | undefined;
  tell(text: string): void;
  attempt(work: () => Promise<unknown>): void;
  now?: () => number;
}

/** Milliseconds after the list has closed by itself in which a key that leaves may be meant for the list. */
const CLOSED_MS = 1_000;

type Wanted = Parameters<Parameters<Conversation["changeQueue"]>[0]>[0];

/** The keys that choose among queued messages, move them, send them at once, delete them, and edit one in the field. */
export class QueueKeys {
  /** The id of the chosen message; undefined while keys do not apply to the queue. */
  chosen: string | undefined;
  /** The message that is edited in the field, and the text that was in the field before. */
  private edited: { item: QueuedMessage; before: Entered; held?: HeldMessage } | undefined;
  private readonly parts: QueueKeysParts;
  private readonly now: () => number;
  /** When the list has closed by itself, because its chosen message was delivered. */
  private closedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: QueueKeysParts) {
    this.parts = parts;
    this.now = parts.now ?? (() => performance.now());
  }

  get editing(): string | undefined {
    return this.edited?.item.id;
  }

  /** The message that is edited outside of the queue, and its place in the order of sending. */
  get held(): Pick<HeldMessage, "item" | "place"> | undefined {
    return this.edited?.held;
  }

  /** The name of another client that has queued a message; undefined for this one. */
  readonly nameOf = (clientId: string): string | undefined => {
    const { session, words } = this.parts;
    const { people } = session;
    return people.isOwn(clientId) ? undefined : (people.actorOf(clientId) ?? words.anotherClient);
  };

  /** Applies the keys to the queue from now on, with the last message chosen. */
  begin(): void {
    const last = this.queue.at(-1);
    if (last) this.chosen = last.id;
    else this.parts.tell(this.parts.words.queueEmpty);
  }

  /** Called when the queue has changed: a message that was delivered cannot be chosen. */
  update(): void {
    if (this.chosen === undefined || this.item(this.chosen)) return;
    this.chosen = undefined;
    this.closedAt = this.now();
  }

  /** Called when another session is shown. The text of a message that was edited in the former one stays in the field. */
  entered(): void {
    this.chosen = undefined;
    this.keepInDraft();
  }

  /** Handles a key that applies to the queue. Returns false for any other, with which keys go to the field again. */
  press(data: string): boolean {
    const { chosen } = this;
    if (chosen === undefined) return this.isLate(data);
    const { keys } = this.parts;
    const actions = [
      ["moveUp", () => this.move(-1)],
      ["moveDown", () => this.move(1)],
      ["up", () => this.choose(-1)],
      ["down", () => this.choose(1)],
      ["choose", () => this.edit()],
      ["steer", () => this.steer(chosen)],
      ["remove", () => this.remove()],
      ["cancel", () => this.end()],
      ["queue", () => this.end()],
    ] as const;
    const action = actions.find(([name]) => keys.is(data, name));
    if (action) action[1]();
    else this.end();
    return action !== undefined;
  }

  /** Whether a key that leaves the application was probably meant for the list, which has just closed. Asks for it again. */
  private isLate(data: string): boolean {
    const { keys, words, field, tell } = this.parts;
    const isLate = this.now() - this.closedAt < CLOSED_MS && keys.is(data, "leave") && field()?.text === "";
    this.closedAt = Number.NEGATIVE_INFINITY;
    if (isLate) tell(words.pressAgain(keys.label("leave")));
    return isLate;
  }

  /** Replaces the edited message with what was entered. Returns false when none is edited. */
  takes(submission: Submission): boolean {
    const { edited, parts } = this;
    if (!edited || submission.mode !== "message") return false;
    this.edited = undefined;
    this.restore(edited.before);
    parts.attempt(() => this.replace(edited, submission));
    return true;
  }

  /** Ends editing and leaves the message as it was. Returns false when none is edited. */
  leave(): boolean {
    const { edited } = this;
    if (!edited) return false;
    this.edited = undefined;
    this.restore(edited.before);
    if (edited.held) this.parts.attempt(async () => edited.held?.putBack());
    return true;
  }

  /**
   * Ends editing when the user leaves the session. The field keeps the edited text, followed by the text that was in it before. An edited
   * text that is the same as in the queue is left out: it would come back even after it was delivered.
   */
  keepInDraft(): void {
    const { edited } = this;
    const field = this.parts.field();
    if (!edited || !field) return;
    this.edited = undefined;
    const { item, held, before } = edited;
    const isQueued = held === undefined && illustrated(item).text === field.text;
    this.restore(joined([...(isQueued ? [] : [enteredIn(field)]), before], "\n"));
  }

  private restore({ text, mode, silent, attachments }: Entered): void {
    this.parts.field()?.setText(text, mode, silent, attachments);
  }

  private get queue(): readonly QueuedMessage[] {
    return inSendingOrder(this.parts.session.view?.queue ?? []);
  }

  private item(id: string | undefined): QueuedMessage | undefined {
    return this.queue.find((item) => item.id === id);
  }

  private end(): void {
    this.chosen = undefined;
  }

  private choose(by: number): void {
    const at = this.queue.findIndex(({ id }) => id === this.chosen);
    this.chosen = this.queue[Math.max(0, Math.min(at + by, this.queue.length - 1))]?.id;
  }

  private move(by: number): void {
    const id = this.chosen;
    this.change((stored, queue) => {
      const items = inSendingOrder(queue).flatMap(({ id }) => stored.filter((item) => item.id === id));
      const at = items.findIndex((item) => item.id === id);
      const [moved] = at < 0 ? [] : items.splice(at, 1);
      if (!moved) return undefined;
      items.splice(Math.max(0, Math.min(at + by, items.length)), 0, moved);
      return items;
    });
  }

  /** Sends the message into the running turn. If none runs, begins a turn with the queue. */
  private steer(chosen: string): void {
    const { session, conversation, attempt } = this.parts;
    this.end();
    if (session.isRunning) this.change((items) => changed(items, chosen, { mode: "steer" }));
    else attempt(() => conversation.runQueue());
  }

  private remove(): void {
    const item = this.item(this.chosen);
    if (!item || this.isOfOther(item)) return;
    this.choose(this.queue.at(-1) === item ? -1 : 1);
    if (this.chosen === item.id) this.end();
    this.change((items) => items.filter(({ id }) => id !== item.id));
  }

  private edit(): void {
    const item = this.item(this.chosen);
    if (!item || this.isOfOther(item)) return;
    this.end();
    this.leave();
    const { field, session, conversation, attempt } = this.parts;
    const held = session.isRunning ? new HeldMessage(item, session, conversation) : undefined;
    this.edited = { item, before: enteredIn(field()), ...(held && { held }) };
    const { text, attachments } = illustrated(item);
    field()?.setText(text, "message", false, attachments);
    if (held) attempt(async () => (await held.isTaken) || this.tellGone());
  }

  /** Whether another client that is present has queued the message, which only that client may change. Tells the user so. */
  private isOfOther({ clientId }: QueuedMessage): boolean {
    const { session, tell, words } = this.parts;
    const present = session.view?.status.host?.present ?? [];
    const isTheirs = !session.people.isOwn(clientId) && present.some((client) => client.clientId === clientId);
    if (isTheirs) tell(words.queueOfOther);
    return isTheirs;
  }

  /** Replaces the text of a queued message. If it was delivered meanwhile, the new text goes back to the field. */
  private async replace(edited: { item: QueuedMessage; held?: HeldMessage }, submission: Submission): Promise<void> {
    const isKept = await (edited.held?.putBack(submission) ?? this.rewrite(edited.item.id, submission));
    if (isKept) return;
    const field = this.parts.field();
    if (field?.text === "") field.setText(submission.text, "message", false, submission.attachments);
    this.tellGone();
  }

  private tellGone(): void {
    this.parts.tell(this.parts.words.queueGone);
  }

  private async rewrite(id: string, submission: Submission): Promise<boolean> {
    const { contentOf } = await import("../input/content.ts");
    const content = contentOf(submission);
    const isEmpty = submission.text.trim() === "";
    return this.parts.conversation.changeQueue((items) => {
      if (isEmpty) return items.some((item) => item.id === id) ? items.filter((item) => item.id !== id) : undefined;
      return changed(items, id, { content });
    });
  }

  private change(make: Parameters<Conversation["changeQueue"]>[0]): void {
    const { conversation, attempt } = this.parts;
    attempt(async () => (await conversation.changeQueue(make)) || this.tellGone());
  }
}

/** The queue with a change to one message; undefined if that message is not in it. */
function changed(items: Wanted, id: string, change: Partial<Wanted[number]>): Wanted | undefined {
  if (!items.some((item) => item.id === id)) return undefined;
  return items.map((item) => (item.id === id ? { ...item, ...change } : item));
}
