import type { Live, OpenRequest, Row, SessionView, ViewChange, ViewStatus } from "@scorel/host/client";
import type { Client, QueuedMessage, Rights, SessionStatus } from "@scorel/host/contract";
import { Store } from "../store.ts";
import type { Device } from "./device.ts";
import { Notices } from "./notices.ts";
import { type OpenedView, openView } from "./opening.ts";
import { People } from "./people.ts";

export type { Row };

/** An entry of the conversation: a stored event, or something that is arriving or running. Its key is that of its event. */
export type Entry = { key: string; row: Row; live?: undefined } | { key: string; row?: undefined; live: Store<Live> };

/** Number of stored events that are fetched when the reader gets to the beginning. */
const EARLIER = 400;

/** Events that are shown elsewhere: the queue above the field, and open questions below the conversation. */
const ELSEWHERE = new Set(["queue_update", "approval_request"]);

function isShown({ active, type }: Row): boolean {
  return active && !ELSEWHERE.has(type);
}

/** An open session for components. Changes are published at most once per frame. */
export class OpenSession {
  readonly id: string;
  readonly entries = new Store<readonly Entry[]>([]);
  readonly status: Store<ViewStatus>;
  readonly queue: Store<readonly QueuedMessage[]>;
  readonly requests: Store<readonly OpenRequest[]>;
  readonly notices = new Notices();
  /** Whether the last turn was stopped before anything of its reply was stored, which leaves no trace in the conversation. */
  readonly isStopped = new Store(false);
  readonly people: People;
  /** What this page may do in the session. */
  readonly rights: Rights;
  private readonly client: Client;
  private readonly view: SessionView;
  private readonly opened: Promise<SessionStatus | undefined>;
  private readonly lives = new Map<string, Store<Live>>();
  private readonly changed = new Set<string>();
  private areRowsOld = true;
  private frame = 0;
  /** Called when a session that is no longer shown has become idle. */
  private rested: (() => void) | undefined;

  constructor(client: Client, { view, opened }: OpenedView, rights: Rights) {
    this.client = client;
    this.view = view;
    this.opened = opened;
    this.rights = rights;
    this.people = new People(client);
    this.people.look(view);
    this.id = view.sessionId;
    this.status = new Store(view.status);
    this.queue = new Store(view.queue);
    this.requests = new Store(view.requests);
    this.show();
    opened.then(
      (status) => status && this.notices.opened(status),
      // The view reports why it could not be opened.
      () => {},
    );
    view.subscribe((change) => this.take(change));
    document.addEventListener("visibilitychange", this.seen);
  }

  /** Opens a session. Resolves at once with what this browser has stored; without that, waits for the host. */
  static async open(device: Device, sessionId: string): Promise<OpenSession> {
    const { client, cache, rights } = device;
    const allowed = (given: Rights) => device.allow(given);
    device.retain(sessionId);
    try {
      const view = await openView(client, sessionId, { tail: EARLIER, cache, allowed });
      return new OpenSession(client, view, rights.get());
    } catch (thrown) {
      device.release(sessionId);
      throw thrown;
    }
  }

  get hasEarlier(): boolean {
    return this.view.more;
  }

  /** Whether an event is known, but not part of the active branch. */
  isElsewhere(eventId: string): boolean {
    return this.view.rows.some(({ id, active }) => id === eventId && !active);
  }

  /** Fetches events before the first known one. */
  async earlier(): Promise<void> {
    await this.view.earlier(EARLIER);
  }

  /**
   * Closes the session as soon as its turn has ended and no question is open. Not before, since the page lists all open questions, and
   * without a client the host would decline them.
   */
  async close(device: Device): Promise<void> {
    document.removeEventListener("visibilitychange", this.seen);
    if (!this.isAtRest) await new Promise<void>((resolve) => (this.rested = resolve));
    cancelAnimationFrame(this.frame);
    await this.view.close();
    // The session cannot be closed before it is open. The view has reported why the host refused to open it.
    await this.opened.catch(() => {});
    if (device.release(this.id) && this.rights.write)
      await device.client.request("close_session", { sessionId: this.id });
  }

  private get isAtRest(): boolean {
    const { running, connection } = this.view.status;
    return connection === "closed" || (!running && this.view.requests.length === 0);
  }

  private readonly seen = () => void (document.hidden || this.show());

  private take(change: ViewChange): void {
    this.people.hear(change, this.view);
    this.notices.hear(change, this.view.status.running);
    if (this.view.status.running) this.isStopped.set(false);
    if (change.kind === "passing") this.pass(change.delivered.event);
    if (change.kind === "rows" || change.kind === "reset") this.areRowsOld = true;
    if (change.kind === "live" || change.kind === "text") this.changed.add(change.id);
    // At once, also in a hidden tab, since the title of the tab shows that there is a question.
    this.requests.set(this.view.requests);
    if (this.isAtRest) this.rested?.();
    if (this.frame === 0 && !document.hidden) this.frame = requestAnimationFrame(() => this.show());
  }

  private pass(event: { type: string; reason?: unknown; hostStopped?: unknown }): void {
    if (event.type === "session_start") this.attend();
    if (event.type !== "runtime_end") return;
    const last = this.view.rows.findLast((row) => isShown(row) && row.display.display !== "hidden")?.display;
    const isUnanswered = last?.display === "bubble" && last.role === "user";
    this.isStopped.set(event.reason === "cancelled" && event.hostStopped !== true && isUnanswered);
  }

  /** Answers questions again after a reload of the session, at which the host forgets who does. */
  private attend(): void {
    if (!this.rights.answer) return;
    // It is refused only if the session has ended, which the view reports.
    this.client.request("attend_requests", { sessionId: this.id }).catch(() => {});
  }

  private show(): void {
    this.frame = 0;
    this.status.set(this.view.status);
    this.queue.set(this.view.queue);
    this.requests.set(this.view.requests);
    if (this.showLive() || this.areRowsOld) this.entries.set(this.list());
    this.areRowsOld = false;
  }

  /** Updates what is arriving and running. Returns whether entries were added or removed. */
  private showLive(): boolean {
    if (this.changed.size === 0 && !this.areRowsOld) return false;
    this.changed.clear();
    const present = new Set<string>();
    let isNew = false;
    for (const live of this.view.live) {
      present.add(live.id);
      const known = this.lives.get(live.id);
      if (known) known.set(live);
      else {
        this.lives.set(live.id, new Store(live));
        isNew = true;
      }
    }
    for (const id of this.lives.keys())
      if (!present.has(id)) {
        this.lives.delete(id);
        isNew = true;
      }
    return isNew;
  }

  private list(): Entry[] {
    const rows = this.view.rows.filter(isShown).map((row) => ({ key: row.id, row }));
    return [...rows, ...[...this.lives].map(([key, live]) => ({ key, live }))];
  }
}
