import type {} from "@scorel/history/contract";
import { changeQueue, findSession, type Obeyed, obeyed, whileConnected } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import type { Mode } from "@scorel/permissions/contract";
import { illustrated } from "../input/picture-marks.ts";
import type { Words } from "../words/words.ts";
import type { Listener } from "./listener.ts";
import { type Outgoing, OwnMessages } from "./own-messages.ts";
import { ShellLines } from "./shell-lines.ts";
import type { ShownSession } from "./shown-session.ts";
import { Unsent } from "./unsent.ts";

/** The session that an entry is for: the one that was shown when it was entered, or one that an earlier command has led to since. */
interface Destination {
  sessionId: string | undefined;
}

/** Everything that the user can do in the session that is shown. */
export class Conversation {
  readonly shellLines: ShellLines;
  readonly unsent: Unsent;
  /** Whether a slash command of this user runs. */
  isCommanding = false;
  /** Number of interruptions that the host has not answered yet. */
  private interruptions = 0;
  private readonly client: Client;
  private readonly session: ShownSession;
  private readonly listener: Listener;
  private readonly words: Words;
  private readonly own: OwnMessages;
  private work: Promise<unknown> = Promise.resolve();
  /** The destinations of the entries that wait or run. */
  private readonly destinations = new Set<Destination>();

  constructor(client: Client, session: ShownSession, listener: Listener, words: Words) {
    this.client = client;
    this.session = session;
    this.listener = listener;
    this.words = words;
    this.own = new OwnMessages({ client, words, listener, sessionId: () => session.sessionId });
    this.unsent = new Unsent({ view: () => session.view, listener, words });
    this.shellLines = new ShellLines({ client, view: () => session.view, opened: () => session.opened() });
  }

  /** Sends a message. During a turn it is queued (`follow_up`), or sent into the turn (`steer`). While the host is away it waits. */
  send(message: Outgoing, running: "follow_up" | "steer" = "follow_up"): Promise<void> {
    this.session.noteSent();
    const entry = this.unsent.add({ ...message, mode: "message" });
    return this.inTurn((to) =>
      this.unsent.deliver(entry, () =>
        this.own.send(this.idOf(to), { ...message, messageId: entry.messageId }, running),
      ),
    );
  }

  /** Runs a shell line, even while a command runs. While the host is away it waits behind earlier entries. */
  shell(command: string, silent: boolean): Promise<void> {
    const entry = this.unsent.add({ text: command, mode: "shell", silent });
    const run = (to: Destination) =>
      this.unsent.deliver(entry, () => this.shellLines.run(this.idOf(to), command, silent));
    return this.session.isLost ? this.inTurn(run) : run(this.session);
  }

  /** Runs a slash command. While the host is away it waits; `begun` is called when it is sent to the host. */
  command(line: string, begun: () => void = () => {}): Promise<void> {
    const entry = this.unsent.add({ text: line, mode: "command" });
    const run = (to: Destination) => {
      begun();
      return this.runCommand(line, this.idOf(to));
    };
    return this.inTurn((to) => this.unsent.deliver(entry, () => run(to)));
  }

  private async runCommand(line: string, sessionId: string): Promise<void> {
    const [, name = "", args = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
    const run = () => this.client.request("run_command", { sessionId, name, args: args.trim() });
    this.isCommanding = true;
    const result = await run()
      .catch((thrown) => this.withoutSession(name, args.trim(), sessionId, thrown))
      .finally(() => {
        this.isCommanding = false;
      });
    if (!result) return;
    await this.client.drained(sessionId);
    await this.done(obeyed(name, result), sessionId);
    if (name === "permission" && args.trim() !== "" && result.output === undefined)
      this.listener.told(this.words.mode(args.trim()), "info");
  }

  /** Runs commands that lead to another session even if this one was deleted. Rethrows all other errors. */
  private async withoutSession(name: string, args: string, from: string, thrown: unknown): Promise<undefined> {
    const { session } = this;
    if (codeOf(thrown) !== "SESSION_UNKNOWN" || !session.view) throw thrown;
    if (name === "new" || name === "clear") await session.begin();
    else if (name === "restore") await this.restore(args === "" ? from : args);
    else if (name === "resume" && args !== "")
      await session.enter(
        await session.open(await findSession(this.client, args, session.view.status.meta.cwd as string)),
      );
    else throw thrown;
    this.lead(from, session.opened());
  }

  /** Takes a session out of the trash and shows it. */
  private async restore(named: string): Promise<void> {
    const { sessionId, text } = await this.client.request("restore_session", { sessionId: named });
    await this.session.enter(await this.session.open(sessionId));
    this.listener.told(text, "plain");
  }

  private async done({ output, sessionId, input, copy, turn, leave }: Obeyed, from: string): Promise<void> {
    if (copy !== undefined) this.listener.copied(copy);
    if (sessionId !== undefined) {
      await this.session.enter(await this.client.request("get_status", { sessionId }));
      this.lead(from, sessionId);
    }
    if (output) this.listener.told(output, "plain");
    if (turn !== undefined) this.own.follow(sessionId ?? from, turn);
    // A command may propose another command as the next step. The user sees it in the field, and it runs when they send it.
    if (input?.isCommand) this.listener.offered({ text: input.text.slice(1), mode: "command" });
    else if (input)
      this.listener.offered(illustrated({ content: [{ type: "text", text: input.text }, ...input.pictures] }));
    if (leave) this.listener.left();
  }

  /** Cancels the slash command of this user. What was entered after it goes back to the field: otherwise it would be sent now. */
  async cancelCommand(): Promise<void> {
    const isTaken = this.unsent.recallNext();
    await this.client.request("cancel_commands", { sessionId: this.session.opened() });
    if (isTaken) this.listener.told(this.words.takenBack, "info");
  }

  /** Whether the host has not answered an interruption yet. */
  get isInterrupting(): boolean {
    return this.interruptions > 0;
  }

  /** Interrupts the running turn. The user's own queued messages go back to the field. */
  async interrupt(): Promise<void> {
    const sessionId = this.session.opened();
    const before = this.session.view?.rows.at(-1)?.seq ?? 0;
    let isTaken = false;
    this.interruptions++;
    try {
      isTaken = await this.own.takeBack(sessionId);
    } finally {
      const { cancelled } = await this.client.request("cancel", { sessionId }).finally(() => void this.interruptions--);
      await this.client.drained(sessionId);
      if (cancelled && !this.hasPartialReply(before)) this.listener.told(this.words.interrupted, "warning", true);
      // Told last, so that it is shown below the partial reply.
      if (isTaken) this.listener.told(this.words.takenBack, "info");
    }
  }

  /** Whether a reply after an event shows that it was interrupted. A queued message of another client may already stand below it. */
  private hasPartialReply(after: number): boolean {
    const rows = this.session.view?.rows ?? [];
    return rows.some(
      ({ active, seq, display }) =>
        active && seq > after && display.display === "bubble" && display.interrupted === true,
    );
  }

  /** Answers a question. Returns false if the answer does not count: the host is gone, or the question is closed. */
  async answer(requestId: string, { answer, reason }: { answer: string | null; reason?: string }): Promise<boolean> {
    // It would be unknown whether the answer still counts when the host is back.
    if (this.session.isLost) {
      this.listener.told(this.words.notAnswered, "warning");
      return false;
    }
    try {
      const { message } = await this.client.request("answer_request", {
        sessionId: this.session.opened(),
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

  /** The permission modes that may be chosen in the session. */
  async modes(): Promise<Mode[]> {
    const { modes } = await this.client.request("list_permission_modes", { sessionId: this.session.opened() });
    return modes.filter(({ unavailable }) => !unavailable).map(({ mode }) => mode);
  }

  async setMode(mode: Mode): Promise<void> {
    const sessionId = this.session.opened();
    await this.client.request("set_permission", { sessionId, mode });
    await this.client.drained(sessionId);
  }

  /** Changes the queue, as in `changeQueue` of the host's client. Returns false when nothing was changed. */
  changeQueue(make: Parameters<typeof changeQueue>[2]): Promise<boolean> {
    return changeQueue(this.client, this.session.opened(), make);
  }

  /** Begins a turn with the queued messages, while none runs. */
  async runQueue(): Promise<void> {
    await this.client.request("run_queue", { sessionId: this.session.opened() });
  }

  /** Moves the user's queued messages to the field when the user leaves during a turn. The draft keeps them: nobody would see them sent. */
  async takeQueueAlong(): Promise<void> {
    const { view, rights } = this.session;
    if (!view?.status.running || !rights.write) return;
    // A host that does not answer keeps the queue.
    await whileConnected(this.client, view, () => this.own.takeBack(view.sessionId)).catch(() => {});
  }

  /** Runs work after all earlier work, in the order in which the user asked for it, for the session that is shown now. */
  private inTurn(work: (to: Destination) => Promise<unknown>): Promise<void> {
    const to: Destination = { sessionId: this.session.sessionId };
    this.destinations.add(to);
    const done = this.work.then(() => work(to)).then(() => {});
    this.work = done.catch(() => {}).finally(() => this.destinations.delete(to));
    return done;
  }

  /** Called when a command has led from one session to another: what the user entered after it is for that one. */
  private lead(from: string, to: string): void {
    for (const each of this.destinations) if (each.sessionId === from) each.sessionId = to;
  }

  private idOf({ sessionId }: Destination): string {
    return sessionId ?? this.session.opened();
  }
}
