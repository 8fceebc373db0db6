import type {} from "@scorel/commands/contract";
import type { Client } from "@scorel/host/contract";
import type { Keys } from "../keys.ts";
import type { Surroundings } from "../parts.ts";
import type { Words } from "../words/words.ts";
import { TWICE_MS } from "./actions.ts";
import type { ShownSession } from "./shown-session.ts";

/** Milliseconds within which a key leaves that was pressed before, and then said what ends with this terminal. */
const READING_MS = 5_000;

interface Leaver extends Pick<Surroundings, "tell"> {
  readonly client: Client;
  readonly session: Pick<ShownSession, "sessionId" | "isRunning" | "people">;
  readonly keys: Keys;
  readonly words: Words;
  attempt(work: () => Promise<unknown>): void;
  leave(): void;
}

/** The keys that leave. If work ends with this terminal, the first press says so, and the second one leaves. */
export class Leaving {
  private readonly app: Leaver;
  private readonly isHere: (sessionId: string) => boolean;
  private until = Number.NEGATIVE_INFINITY;

  /** `isHere` says whether this process has a session open, so that its work ends with this process. */
  constructor(app: Leaver, isHere: (sessionId: string) => boolean) {
    this.app = app;
    this.isHere = isHere;
  }

  /** Leaves with `leave`; with `clear` when it is pressed twice. */
  press(key: "leave" | "clear"): void {
    const { app } = this;
    const now = performance.now();
    const { sessionId } = app.session;
    if (now < this.until) app.leave();
    else if (sessionId !== undefined && this.isHere(sessionId)) {
      this.until = now + READING_MS;
      app.attempt(async () => this.pressed(key, await this.ending(sessionId)));
    } else this.pressed(key, undefined);
  }

  private pressed(key: "leave" | "clear", ending: string | undefined): void {
    const { app } = this;
    const label = app.keys.label(key);
    if (ending !== undefined) app.tell(`${ending} ${app.words.pressAgain(label)}`, "warning");
    else if (key === "leave") app.leave();
    else {
      this.until = performance.now() + TWICE_MS;
      app.tell(app.words.pressAgain(label));
    }
  }

  /** Says which work of a session ends with this terminal; undefined for none. A turn is finished first if another client is there. */
  private async ending(sessionId: string): Promise<string | undefined> {
    const { client, session, words } = this.app;
    const others = client
      .request("get_status", { sessionId })
      .then(({ present = [] }) => present.some(({ clientId }) => !session.people.isOwn(clientId)));
    const listed = client.request("list_background", { sessionId }).then(({ items }) => items.length);
    const [hasOthers, tasks] = await Promise.all([others.catch(() => false), listed.catch(() => 0)]);
    const hasTurn = session.isRunning && !hasOthers;
    return hasTurn || tasks > 0 ? words.endsIfLeft(hasTurn, tasks) : undefined;
  }
}
