import { type OpenRequest, Presence, type SessionView, type ViewChange } from "@scorel/host/client";
import type { SessionStatus } from "@scorel/host/contract";
import { safeLine } from "../rows/safe.ts";
import type { Words } from "../words/words.ts";
import type { People } from "./people.ts";

/**
 * Tells the user when another client interrupts a turn, rewinds or switches the branch, or answers a question that was on the screen, and
 * tells clients that join from those that are back after a lost connection.
 */
export class Others {
  private readonly people: Pick<People, "isOwn" | "actorOf">;
  private readonly words: Words;
  private readonly tell: (text: string) => void;
  /** The questions that were open before the last change. */
  private asked: readonly OpenRequest[] = [];
  private presence = new Presence();
  /** The session as the host described it last. */
  private host: SessionStatus | undefined;

  constructor(people: Others["people"], words: Words, tell: (text: string) => void) {
    this.people = people;
    this.words = words;
    this.tell = tell;
  }

  /** Called when another session is shown, with the questions that are open in it. */
  enter({ requests, status }: Pick<SessionView, "requests" | "status">): void {
    this.noteClients(status.host);
    this.asked = requests;
  }

  /** Whether a transient event is shown. Not for this client itself, nor for clients that join again after the host was away. */
  isNews({ type, name = "", clientId = "" }: { type: string; name?: string; clientId?: string }): boolean {
    if (type === "client_joined") return !this.people.isOwn(clientId) && this.presence.joined(name);
    if (type === "client_left") this.presence.left(name);
    return true;
  }

  /** Notes which clients have the session open, at the beginning and whenever the host reports it again. */
  private noteClients(host: SessionStatus): void {
    if (host === this.host) return;
    if (host.sessionId !== this.host?.sessionId) this.presence = new Presence();
    this.host = host;
    const others = (host.present ?? []).filter(({ clientId }) => !this.people.isOwn(clientId));
    this.presence.begin(others.map(({ name }) => name));
  }

  hear(change: ViewChange, view: Pick<SessionView, "rows" | "requests" | "status">): void {
    if (change.kind !== "text") this.noteClients(view.status.host);
    if (change.kind === "passing") this.cancelled(change.delivered.event as EndOfTurn);
    else if (change.kind === "rows" && change.isNew) {
      const { event, clientId } = view.rows[change.index] ?? {};
      if (event?.type === "rewind" || event?.type === "branch") this.moved(clientId ?? "");
      if (event?.type === "approval_answer") this.answered(clientId ?? "", event as unknown as Answer);
    } else if (change.kind === "requests" || change.kind === "reset") this.asked = view.requests;
  }

  private cancelled({ type, cancelledBy, hostStopped }: EndOfTurn): void {
    if (type === "runtime_end" && hostStopped === true) this.tell(this.words.hostStopped);
    if (type !== "runtime_end" || cancelledBy === undefined || this.people.isOwn(cancelledBy)) return;
    this.tell(this.words.interruptedBy(this.nameOf(cancelledBy)));
  }

  private moved(clientId: string): void {
    if (!this.people.isOwn(clientId)) this.tell(this.words.movedBy(this.nameOf(clientId)));
  }

  private answered(clientId: string, { requestId, answer }: Answer): void {
    const question = this.asked.find((each) => each.requestId === requestId);
    if (!question || typeof answer !== "string" || this.people.isOwn(clientId)) return;
    const label = question.options?.find(({ value }) => value === answer)?.label ?? answer;
    this.tell(this.words.answeredBy(this.nameOf(clientId), safeLine(label)));
  }

  private nameOf(clientId: string): string {
    return safeLine(this.people.actorOf(clientId) ?? this.words.anotherClient);
  }
}

interface EndOfTurn {
  type: string;
  cancelledBy?: string;
  hostStopped?: boolean;
}
interface Answer {
  requestId: string;
  answer: string | null;
}
