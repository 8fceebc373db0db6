import {
  ALL_RIGHTS,
  damageIn,
  followSession,
  isConnected,
  type SessionView,
  Warnings,
  whileConnected,
} from "@scorel/host/client";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Words } from "../words/words.ts";
import { HostAway } from "./host-away.ts";
import type { Listener } from "./listener.ts";
import { Others } from "./others.ts";
import { People } from "./people.ts";

/** The number of stored events that are loaded at once: the last ones at first, and earlier ones by scrolling up. */
const TAIL = 300;

/** The session that is shown: opens it, follows it, reports what happens in it, and leaves it. */
export class ShownSession {
  view: SessionView | undefined;
  readonly people: People;
  readonly rights: Rights;
  private readonly client: Client;
  private readonly listener: Listener;
  private readonly words: Words;
  private readonly warnings = new Warnings();
  private readonly others: Others;
  private readonly hostAway: HostAway;
  private isRightsTold = false;
  /** Whether the session was deleted while it was shown, and has not been opened again. */
  wasDeleted = false;
  private stopListening = () => {};
  /** The switch to another session that was begun last. */
  private entering: Promise<unknown> = Promise.resolve();
  /** The session that a message was sent to last. */
  private sentTo: string | undefined;

  constructor(client: Client, listener: Listener, words: Words, rights = ALL_RIGHTS) {
    this.client = client;
    this.listener = listener;
    this.words = words;
    this.rights = rights;
    this.people = new People(client);
    this.others = new Others(this.people, words, (text) => listener.told(text, "info"));
    this.hostAway = new HostAway((text) => listener.told(text, "warning"), words);
  }

  get sessionId(): string | undefined {
    return this.view?.sessionId;
  }
  get isRunning(): boolean {
    return this.view?.status.running === true;
  }
  /** Whether the connection to the host is lost. */
  get isLost(): boolean {
    return this.view !== undefined && !isConnected(this.view);
  }
  /** Whether anything was said in the session, so that it is worth returning to. */
  get isBegun(): boolean {
    const { view } = this;
    return view !== undefined && (view.rows.length > 0 || this.sentTo === view.sessionId);
  }

  /** The id of the session. Throws while the first one is being opened. */
  opened(): string {
    const { sessionId } = this;
    if (sessionId === undefined) throw new Error(this.words.opening);
    return sessionId;
  }

  /** Notes that the user sends a message in this session, before the message is stored. */
  noteSent(): void {
    this.sentTo = this.sessionId;
  }

  /** Opens a stored session, read-only if the user may not write. */
  open(sessionId: string): Promise<SessionStatus> {
    return this.client.request(this.rights.write ? "load_session" : "get_status", { sessionId });
  }

  /** Creates a session in the directory of this one, with its preset, and shows it. */
  async begin(): Promise<void> {
    const { cwd, preset } = (this.view as SessionView).status.meta as { cwd: string; preset?: string };
    await this.enter(await this.client.request("create_session", { cwd, ...(preset !== undefined && { preset }) }));
  }

  /**
   * Shows another session, and closes the former one. If the session cannot be followed, the former one stays. Of two switches at once, the
   * second begins when the first has ended.
   */
  enter(status: SessionStatus): Promise<void> {
    const entered = this.entering.then(() => this.switchTo(status));
    this.entering = entered.catch(() => {});
    return entered;
  }

  private async switchTo(status: SessionStatus): Promise<void> {
    const former = this.view;
    const view = await this.follow(status.sessionId);
    this.stopListening();
    this.view = view;
    this.wasDeleted = false;
    this.people.noteClients(view);
    this.others.enter(view);
    this.stopListening = view.subscribe((change) => this.hear(change));
    this.listener.entered(view);
    for (const warning of [...this.warnings.untold(status.notices), ...damageIn(status)])
      this.listener.told(warning, "warning");
    this.present(status);
    this.tellRights();
    await former?.close();
    if (former && former.sessionId !== status.sessionId) await this.close(former.sessionId);
    await this.attend();
  }

  /** Follows a session, which is released if that fails, unless it is the shown one. */
  private async follow(sessionId: string): Promise<SessionView> {
    try {
      return await followSession(this.client, sessionId, { tail: TAIL });
    } catch (thrown) {
      if (sessionId !== this.sessionId) await this.close(sessionId);
      throw thrown;
    }
  }

  /** Says who else is in the session, and how many messages were queued before it was entered. */
  private present({ present = [], waiting }: SessionStatus): void {
    const others = present.filter(({ clientId }) => !this.people.isOwn(clientId)).map(({ name }) => name);
    if (others.length > 0) this.listener.told(this.words.alsoHere(others.join(", ")), "info");
    if (waiting !== undefined && !this.isRunning) this.listener.told(this.words.waitingFromBefore(waiting), "info");
  }

  /** Tells the user once what they may not do. */
  private tellRights(): void {
    const { write, answer } = this.rights;
    if (this.isRightsTold || (write && answer)) return;
    this.isRightsTold = true;
    this.listener.told(this.words.rights(write, answer), "info");
  }

  private async close(sessionId: string): Promise<void> {
    try {
      await this.client.request("close_session", { sessionId });
    } catch (thrown) {
      if (codeOf(thrown) !== "SESSION_UNKNOWN") this.fail(thrown);
    }
  }

  /** Tells the host that a person is present to answer questions. Presets without the plugin `requests` have no such operation. */
  private async attend(): Promise<void> {
    const sessionId = this.sessionId;
    if (sessionId === undefined || !this.rights.answer) return;
    try {
      await this.client.request("attend_requests", { sessionId, attending: true });
    } catch (thrown) {
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    }
  }

  private hear(change: Parameters<Listener["changed"]>[0]): void {
    if (this.view) this.people.hear(change, this.view);
    this.listener.changed(change);
    if (this.view && change.kind !== "text") this.hostAway.statusChanged(this.view.status);
    if (this.view) this.others.hear(change, this.view);
    if (change.kind !== "passing") return;
    const { event } = change.delivered;
    if (event.type === "session_start") this.wasDeleted = false;
    if (event.type === "session_end" && (event as { reason?: string }).reason === "deleted") this.noteDeleted();
    if (event.type === "runtime_end" || !this.others.isNews(event)) return;
    if (event.type === "session_start") void this.attend().catch((thrown) => this.fail(thrown));
    const warning = this.warnings.heard(event);
    if (warning !== undefined) this.listener.told(warning, "warning");
    else if (event.type !== "plugin_failure") this.listener.passed(change.delivered);
  }

  private noteDeleted(): void {
    this.wasDeleted = true;
    this.listener.told(this.words.sessionDeleted, "warning");
  }

  /** Loads `count` earlier events. */
  async earlier(count = TAIL): Promise<void> {
    await this.view?.earlier(count);
  }

  /** Whether the session was deleted, by any client; undefined when the host does not answer. */
  async isDeleted(): Promise<boolean | undefined> {
    const { view, client } = this;
    if (!view || this.isLost) return false;
    const asked = () =>
      client.request("get_status", { sessionId: view.sessionId }).then(
        () => false,
        (thrown) => codeOf(thrown) === "SESSION_UNKNOWN",
      );
    return whileConnected(client, view, asked);
  }

  /**
   * Leaves the session; the host closes it once no client has it open. A host that is gone does so when it is back. Returns what ran in the
   * session's background, as `atWork` says it, "" for nothing, and whether the session was closed, which has ended it.
   */
  async leave(
    atWork: (sessionId: string) => Promise<string> = async () => "",
  ): Promise<{ background: string; closed: boolean }> {
    const { view } = this;
    if (!view) return { background: "", closed: false };
    const { sessionId } = view;
    this.stopListening();
    this.hostAway.end();
    const background = await whileConnected(this.client, view, () => atWork(sessionId));
    const left = await whileConnected(this.client, view, () => this.client.request("close_session", { sessionId }));
    await view.close();
    return { background: background ?? "", closed: left?.closed === true };
  }

  private fail(thrown: unknown): void {
    this.listener.told(messageOf(thrown), "error");
  }
}
