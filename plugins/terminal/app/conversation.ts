import {
  ALL_RIGHTS,
  changeQueue,
  damageIn,
  findSession,
  followSession,
  isConnected,
  type Obeyed,
  obeyed,
  type SessionView,
  Warnings,
  whileConnected,
} from "@scorel/host/client";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Mode } from "@scorel/permissions/contract";
import type { Words } from "../words/words.ts";
import { HostAway } from "./host-away.ts";
import type { Listener } from "./listener.ts";
import { Others } from "./others.ts";
import { type Outgoing, OwnMessages } from "./own-messages.ts";
import { People } from "./people.ts";
import { ShellLines } from "./shell-lines.ts";
import { Unsent } from "./unsent.ts";

/** The number of stored events that are loaded at once: the last ones at first, and earlier ones by scrolling up. */
const TAIL = 300;

/** The session that is shown, and everything that the user can do in it. */
export class Conversation {
  view: SessionView | undefined;
  readonly people: People;
  readonly shellLines: ShellLines;
  readonly unsent: Unsent;
  readonly rights: Rights;
  private isRightsTold = false;
  private readonly client: Client;
  private readonly listener: Listener;
  private readonly words: Words;
  private readonly own: OwnMessages;
  private readonly warnings = new Warnings();
  private readonly others: Others;
  private readonly hostAway: HostAway;
  private stopListening = () => {};
  private work: Promise<unknown> = Promise.resolve();
  /** Whether a slash command of this user runs. */
  isCommanding = false;
  /** The session that a message was sent to last. */
  private sentTo: string | undefined;

  constructor(client: Client, listener: Listener, words: Words, rights = ALL_RIGHTS) {
    this.client = client;
    this.rights = rights;
    this.people = new People(client);
    this.listener = listener;
    this.words = words;
    this.others = new Others(this.people, words, (text) => listener.told(text, "info"));
    this.hostAway = new HostAway((text) => listener.told(text, "warning"), words);
    this.own = new OwnMessages({ client, words, listener, sessionId: () => this.sessionId });
    this.unsent = new Unsent({ view: () => this.view, listener, words });
    this.shellLines = new ShellLines({ client, view: () => this.view, opened: () => this.opened() });
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

  /** Shows another session, and closes the former one. */
  async enter(status: SessionStatus): Promise<void> {
    const { client } = this;
    const former = this.view;
    this.stopListening();
    const view = await followSession(client, status.sessionId, { tail: TAIL });
    this.view = view;
    this.people.noteClients(view);
    this.others.enter(view);
    this.stopListening = view.subscribe((change) => this.hear(change));
    this.listener.entered(view);
    this.unsent.connectionChanged();
    for (const warning of [...this.warnings.untold(status.notices), ...damageIn(status)])
      this.listener.told(warning, "warning");
    this.present(status);
    this.tellRights();
    await former?.close();
    if (former && former.sessionId !== status.sessionId) await this.close(former.sessionId);
    await this.attend();
  }

  /** Sends a message. During a turn it is queued (`follow_up`), or sent into the turn (`steer`). While the host is away it waits. */
  send(message: Outgoing, running: "follow_up" | "steer" = "follow_up"): Promise<void> {
    this.sentTo = this.sessionId;
    const entry = this.unsent.add({ text: message.text, mode: "message" });
    return this.inTurn(() =>
      this.unsent.deliver(entry, () =>
        this.own.send(this.opened(), { ...message, messageId: entry.messageId }, running),
      ),
    );
  }

  /** Opens a stored session, read-only if the user may not write. */
  open(sessionId: string): Promise<SessionStatus> {
    return this.client.request(this.rights.write ? "load_session" : "get_status", { sessionId });
  }

  /** Creates a session in the directory of this one, and shows it. */
  async begin(): Promise<void> {
    const { cwd } = (this.view as SessionView).status.meta;
    await this.enter(await this.client.request("create_session", { cwd: cwd as string }));
  }

  /** Runs a slash command. While the host is away it waits; `begun` is called when it is sent to the host. */
  command(line: string, begun: () => void = () => {}): Promise<void> {
    const entry = this.unsent.add({ text: line, mode: "command" });
    const run = () => {
      begun();
      return this.runCommand(line);
    };
    return this.inTurn(() => this.unsent.deliver(entry, run));
  }

  /** Runs a shell line, even while a command runs. While the host is away it waits behind earlier entries. */
  shell(command: string, silent: boolean): Promise<void> {
    const entry = this.unsent.add({ text: command, mode: "shell", silent });
    const run = () => this.unsent.deliver(entry, () => this.shellLines.run(command, silent));
    return this.isLost ? this.inTurn(run) : run();
  }

  private async runCommand(line: string): Promise<void> {
    const sessionId = this.opened();
    const [, name = "", args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const run = () => this.client.request("run_command", { sessionId, name, args: args.trim() });
    this.isCommanding = true;
    const result = await run()
      .catch((thrown) => this.withoutSession(name, args.trim(), thrown))
      .finally(() => {
        this.isCommanding = false;
      });
    if (!result) return;
    await this.client.drained(sessionId);
    await this.done(obeyed(name, result));
    if (name === "permission" && args.trim() !== "" && result.output === undefined)
      this.listener.told(this.words.mode(args.trim()), "info");
  }

  /** Runs commands that lead to another session even if this one was deleted. Rethrows all other errors. */
  private async withoutSession(name: string, args: string, thrown: unknown): Promise<undefined> {
    if (codeOf(thrown) !== "SESSION_UNKNOWN" || !this.view) throw thrown;
    if (name === "new" || name === "clear") await this.begin();
    else if (name === "resume" && args !== "")
      await this.enter(await this.open(await findSession(this.client, args, this.view.status.meta.cwd as string)));
    else throw thrown;
  }

  /** Interrupts the running turn. The user's own queued messages go back to the field. */
  async interrupt(): Promise<void> {
    const sessionId = this.opened();
    let isTaken = false;
    try {
      isTaken = await this.own.takeBack(sessionId);
    } finally {
      const { cancelled } = await this.client.request("cancel", { sessionId });
      await this.client.drained(sessionId);
      if (cancelled && !this.endsPartly()) this.listener.told(this.words.interrupted, "warning");
      // Told last, so that it is shown below the partial reply.
      if (isTaken) this.listener.told(this.words.takenBack, "info");
    }
  }

  /** Cancels the slash command of this user. */
  async cancelCommand(): Promise<void> {
    await this.client.request("cancel_commands", { sessionId: this.opened() });
  }

  /** The permission modes that may be chosen in the session. */
  async modes(): Promise<Mode[]> {
    const { modes } = await this.client.request("list_permission_modes", { sessionId: this.opened() });
    return modes.filter(({ unavailable }) => !unavailable).map(({ mode }) => mode);
  }

  /** Changes the queue, as in `changeQueue` of the host's client. Returns false when nothing was changed. */
  changeQueue(make: Parameters<typeof changeQueue>[2]): Promise<boolean> {
    return changeQueue(this.client, this.opened(), make);
  }

  /** Begins a turn with the queued messages, while none runs. */
  async runQueue(): Promise<void> {
    await this.client.request("run_queue", { sessionId: this.opened() });
  }

  async setMode(mode: Mode): Promise<void> {
    const sessionId = this.opened();
    await this.client.request("set_permission", { sessionId, mode });
    await this.client.drained(sessionId);
  }

  /** Answers a question. Returns false if the answer does not count: the host is gone, or the question is closed. */
  async answer(requestId: string, { answer, reason }: { answer: string | null; reason?: string }): Promise<boolean> {
    // It would be unknown whether the answer still counts when the host is back.
    if (this.isLost) {
      this.listener.told(this.words.notAnswered, "warning");
      return false;
    }
    try {
      const { message } = await this.client.request("answer_request", {
        sessionId: this.opened(),
        requestId,
        answer,
        ...(reason !== undefined && { reason }),
      });
      if (message !== undefined) await this.send({ text: message });
      return true;
    } catch (thrown) {
      if (codeOf(thrown) !== "REQUEST_CLOSED") throw thrown;
      if (answer !== null) this.listener.told(this.words.answeredElsewhere, "info");
      return false;
    }
  }

  /** Loads `count` earlier events. */
  async earlier(count = TAIL): Promise<void> {
    await this.view?.earlier(count);
  }

  /** Moves the user's queued messages to the field when the user leaves during a turn. The draft keeps them: nobody would see them sent. */
  async takeQueueAlong(): Promise<void> {
    const { view } = this;
    if (!view?.status.running || !this.rights.write) return;
    // A host that does not answer keeps the queue.
    await whileConnected(this.client, view, () => this.own.takeBack(view.sessionId)).catch(() => {});
  }

  /**
   * Leaves the session; the host closes it once no client has it open. A host that is gone does so when it is back. Returns what still runs
   * in the session's background, as `atWork` says it; "" for nothing.
   */
  async leave(atWork: (sessionId: string) => Promise<string> = async () => ""): Promise<string> {
    const { view } = this;
    if (!view) return "";
    const { sessionId } = view;
    this.stopListening();
    this.hostAway.end();
    const left = await whileConnected(this.client, view, () => atWork(sessionId));
    await whileConnected(this.client, view, () => this.client.request("close_session", { sessionId }));
    await view.close();
    return left ?? "";
  }

  /** Whether the shown session was deleted, by any client; undefined when the host does not answer. */
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

  private async close(sessionId: string): Promise<void> {
    try {
      await this.client.request("close_session", { sessionId });
    } catch (thrown) {
      if (codeOf(thrown) !== "SESSION_UNKNOWN") this.fail(thrown);
    }
  }

  /** Whether the conversation ends with a reply that shows that it was interrupted. */
  private endsPartly(): boolean {
    const display = this.view?.rows.findLast(({ active }) => active)?.display;
    return display?.display === "bubble" && display.partial === true;
  }

  private hear(change: Parameters<Listener["changed"]>[0]): void {
    if (this.view) this.people.hear(change, this.view);
    this.listener.changed(change);
    if (change.kind === "status" || change.kind === "reset") this.unsent.connectionChanged();
    if (this.view && change.kind !== "text") this.hostAway.statusChanged(this.view.status);
    if (this.view) this.others.hear(change, this.view);
    if (change.kind !== "passing") return;
    const { event } = change.delivered;
    if (event.type === "runtime_end" || !this.others.isNews(event)) return;
    if (event.type === "session_start") void this.attend().catch((thrown) => this.fail(thrown));
    const warning = this.warnings.heard(event);
    if (warning !== undefined) this.listener.told(warning, "warning");
    else if (event.type !== "plugin_failure") this.listener.passed(change.delivered);
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

  /** Tells the user once what they may not do. */
  private tellRights(): void {
    const { write, answer } = this.rights;
    if (this.isRightsTold || (write && answer)) return;
    this.isRightsTold = true;
    this.listener.told(this.words.rights(write, answer), "info");
  }

  private present({ present = [], waiting }: SessionStatus): void {
    const others = present.filter(({ clientId }) => !this.people.isOwn(clientId)).map(({ name }) => name);
    if (others.length > 0) this.listener.told(this.words.alsoHere(others.join(", ")), "info");
    if (waiting !== undefined && !this.isRunning) this.listener.told(this.words.waitingFromBefore(waiting), "info");
  }

  private async done({ output, sessionId, input, copy, turn, leave }: Obeyed): Promise<void> {
    if (copy !== undefined) this.listener.copied(copy);
    if (sessionId !== undefined) await this.enter(await this.client.request("get_status", { sessionId }));
    if (output) this.listener.told(output, "plain");
    if (turn !== undefined) this.own.follow(this.opened(), turn);
    // A command may propose another command as the next step. The user sees it in the field, and it runs when they send it.
    if (input?.isCommand) this.listener.offered(input.text.slice(1), "command");
    else if (input) this.listener.offered(input.text);
    if (leave) this.listener.left();
  }

  /** Runs work after all earlier work, in the order in which the user asked for it. */
  private inTurn(work: () => Promise<unknown>): Promise<void> {
    const done = this.work.then(work).then(() => {});
    this.work = done.catch(() => {});
    return done;
  }

  private opened(): string {
    const { sessionId } = this;
    if (sessionId === undefined) throw new Error(this.words.opening);
    return sessionId;
  }

  private fail(thrown: unknown): void {
    this.listener.told(messageOf(thrown), "error");
  }
}
