import type { CommandResult } from "@scorel/commands/contract";
import type { Client, SessionStatus } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { Questions } from "./questions.ts";
import type { Screen } from "./screen.ts";

const COMMAND = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/;

/** One conversation: takes lines, shows what comes of them. Whoever feeds it decides whether to wait in between. */
export class ChatSession {
  /** Turns that ended in an error. */
  failed = 0;
  /** Something was said, so there is a session to come back to. */
  begun = false;
  /** The user asked to leave. */
  left = false;
  /** Words that a command puts back where the person types; whoever feeds the lines takes them. */
  input: string | undefined;
  private readonly client: Client;
  private readonly screen: Screen;
  /** Someone types at a terminal. */
  private readonly person: boolean;
  private current = "";
  private leave: () => Promise<void> = async () => {};
  /** A command of the person runs; has the session been opened anew meanwhile? */
  private commanding = false;
  private anew = false;
  /** What plugins ask the person; nothing when a program feeds the lines. */
  private questions: Questions | undefined;
  /** One line or reload after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly waiting: (() => Promise<void>)[] = [];
  private readonly turns = new Set<Promise<void>>();
  /** Messages that wait behind the running turn, by their ids. */
  private readonly queued = new Map<string, string>();
  private shown: string | null = null;

  constructor(client: Client, screen: Screen, person: boolean) {
    this.client = client;
    this.screen = screen;
    this.person = person;
  }

  get sessionId(): string {
    return this.current;
  }

  /** Shows this session from now on, in place of the one before; `said` tells a person which one it is. */
  async enter(status: SessionStatus, said?: string): Promise<void> {
    await this.leave();
    // What was asked in the session before is not heard of any more.
    this.questions = undefined;
    await this.screen.answered();
    if (this.current !== "" && this.current !== status.sessionId)
      await this.client.request("close_session", { sessionId: this.current });
    this.current = status.sessionId;
    this.begun = status.leafId !== null;
    await this.screen.opened(status, this.person, said);
    const questions = this.person ? new Questions(this.client, status.sessionId, this.screen) : undefined;
    this.leave = await this.client.subscribe(
      status.sessionId,
      async (delivered) => {
        await this.screen.hear(delivered);
        // What is asked in a session that a command opens anew is shown when the command has told of it.
        if (!this.anew) await questions?.hear(delivered.event);
        if (delivered.event.type === "session_start") await this.openedAnew();
      },
      { joined: true },
    );
    this.questions = questions;
    this.anew = false;
    await (questions ? questions.attend(true) : this.listen());
  }

  /** That somebody answers has to be said again; after a command that did it, when it has told so. */
  private async openedAnew(): Promise<void> {
    this.anew = this.commanding;
    if (!this.commanding) await this.questions?.attend(true);
  }

  /** Shows the session again, which was opened anew. */
  async reloaded(status: SessionStatus, told: string): Promise<void> {
    await this.tell(told);
    await this.screen.notices(status.notices);
  }

  async tell(text: string): Promise<void> {
    await this.screen.line(text);
  }

  /** Runs `work` when no turn runs, no question waits and no line is being taken. */
  between(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.catchUp();
  }

  /** Says that somebody hears what plugins tell, who answers no questions. */
  private async listen(): Promise<void> {
    try {
      await this.client.request("list_requests", { sessionId: this.sessionId });
    } catch (thrown) {
      // A preset in which nobody asks.
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    }
  }

  /** Nobody types any more: what was asked will not be answered. */
  async deaf(): Promise<void> {
    await this.questions?.attend(false);
    this.questions = undefined;
  }

  /** What could stand at the end of a line that is being typed, and how much of the line it would replace. */
  async complete(line: string): Promise<[string[], string]> {
    const { from, values } = await this.client.request("complete_command", { sessionId: this.sessionId, line });
    return [values, line.slice(from)];
  }

  get busy(): boolean {
    return this.turns.size > 0;
  }

  /** Takes a line: a slash command, or words for the agent. Throws what keeps a turn from starting. */
  async take(line: string): Promise<void> {
    try {
      await this.inTurn(() => this.read(line));
    } finally {
      this.catchUp();
    }
  }

  /** Does what has waited for the session to rest; what fails there is told. */
  private catchUp(): void {
    if (this.waiting.length === 0) return;
    const serve = async () => {
      while (!this.busy && !this.asked && !this.left) {
        const work = this.waiting.shift();
        if (!work) return;
        await work();
      }
    };
    this.inTurn(serve).catch((thrown) => this.tell(`${codeOf(thrown)}: ${messageOf(thrown)}`));
  }

  private inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.last.then(work);
    this.last = done.catch(() => {});
    return done;
  }

  private async read(line: string): Promise<void> {
    if (line.trim() === "") return;
    const [, command, args = ""] = COMMAND.exec(line.trim()) ?? [];
    if (command === undefined) return this.send(line);
    if (command === "exit") this.left = true;
    else await this.run(command, args.trim());
  }

  /** Whether this line would answer the question that is on the screen. */
  answers(line: string): boolean {
    return this.asked && (this.questions?.takesAll === true || !line.trim().startsWith("/"));
  }

  /** Answers the question that is on the screen; when there is none any more, the line is taken as any other. */
  async answer(line: string): Promise<void> {
    if (!this.answers(line)) return this.take(line);
    const message = await this.questions?.answer(line);
    if (message !== undefined) await this.send(message);
    this.catchUp();
  }

  get asked(): boolean {
    return this.questions?.asked !== undefined;
  }

  /** Leaves the question that is on the screen now without an answer, after `first`. */
  async leaveQuestion(first?: () => Promise<unknown>): Promise<void> {
    const asked = this.questions?.asked;
    await first?.();
    if (asked !== undefined) await this.questions?.leave(asked);
    this.catchUp();
  }

  /** Ends the running turn with what it asks, and takes back what waits behind it; what had arrived is kept. */
  async cancel(): Promise<void> {
    const { sessionId } = this;
    await this.leaveQuestion(() => this.client.request("cancel", { sessionId }));
    if (this.queued.size === 0) return;
    const waiting = [...this.queued.values()];
    this.queued.clear();
    await this.client.request("rewrite_queue", { sessionId, items: [] });
    this.input = waiting.join(" ");
    await this.screen.line("(what was waiting is taken back)");
  }

  /** Resolves when no turn runs any more; an interrupt cancels the one that does. */
  async idle(interrupt?: AbortSignal): Promise<void> {
    let refused: Promise<void> | undefined;
    const cancel = () => {
      refused = this.cancel();
      // Told below, when the turns have ended.
      refused.catch(() => {});
    };
    if (interrupt?.aborted && this.busy) cancel();
    interrupt?.addEventListener("abort", cancel, { once: true });
    try {
      while (this.turns.size > 0) await Promise.all(this.turns);
      await refused;
    } finally {
      interrupt?.removeEventListener("abort", cancel);
    }
  }

  private async send(content: string): Promise<void> {
    const { sessionId } = this;
    const { id, status } = await this.client.request("send_message", { sessionId, content });
    this.await(id, status === "queued" ? content : undefined);
    if (status === "queued")
      await this.screen.line("(queued: it is sent when the current turn ends; Ctrl-C cancels both)");
  }

  private await(id: string, queued?: string): void {
    this.begun = true;
    if (queued !== undefined) this.queued.set(id, queued);
    const turn = this.follow(id, queued !== undefined).finally(() => {
      this.turns.delete(turn);
      this.catchUp();
    });
    this.turns.add(turn);
  }

  /** A queued message is served by a turn that is shown once, for all its messages. */
  private async follow(id: string, queued: boolean): Promise<void> {
    const { sessionId } = this;
    const outcome = await this.client.request("wait_turn", { sessionId, id });
    if (queued && !this.queued.delete(id)) return;
    await this.client.drained(sessionId);
    if (outcome.leafId !== null && outcome.leafId === this.shown) return;
    this.shown = outcome.leafId;
    if (outcome.reason === "error") this.failed++;
    await this.screen.turn(outcome);
  }

  private async run(name: string, args: string): Promise<void> {
    this.commanding = true;
    try {
      const { sessionId } = this;
      const result = await this.client.request("run_command", { sessionId, name, args });
      // What plugins told meanwhile comes before what it came to.
      await this.client.drained(sessionId);
      await this.done(result);
    } catch (thrown) {
      await this.screen.line(`${codeOf(thrown)}: ${messageOf(thrown)}`);
    } finally {
      this.commanding = false;
      if (this.anew) await this.openedAnew();
    }
  }

  private async done({ output, sessionId, input, copy, turn, leave = false }: CommandResult): Promise<void> {
    if (copy !== undefined) await (this.person ? this.screen.copy(copy) : this.screen.line(copy));
    // A person reads of another session as it is entered.
    const said = sessionId !== undefined && this.person && !output?.includes("\n") ? output : undefined;
    if (output && said === undefined && (copy === undefined || this.person)) await this.screen.table(output);
    if (sessionId !== undefined) await this.enter(await this.client.request("get_status", { sessionId }), said);
    if (turn !== undefined) this.await(turn);
    this.input = input;
    this.left ||= leave;
  }
}
