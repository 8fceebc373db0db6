import { ALL_RIGHTS, copiedPart, everyPage, type Obeyed } from "@scorel/host/client";
import type { Client, Delivered, QueuedMessage, ResumeMode, Rights, SessionStatus } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { visibleText } from "@scorel/kit/text/plain";
import { CommandLines } from "./command-lines.ts";
import type { Connection } from "./connection.ts";
import { errors } from "./errors.ts";
import { follow } from "./following.ts";
import { openQuestions, Questions } from "./questions.ts";
import { rightsText } from "./rights.ts";
import type { Screen } from "./screen.ts";
import { ShellLines } from "./shell-lines.ts";
import { sayIfSlow } from "./slow.ts";
import { type ChatState, reactions, stateOf } from "./states.ts";
import { Turns } from "./turns.ts";
import type { Entered } from "./typed-line.ts";
import { WatchedQuestions } from "./watched-questions.ts";
import { WorkQueue } from "./work-queue.ts";

const COMMAND = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/;

export interface ChatOptions {
  /** Whether the input is typed by a person at a terminal. */
  person: boolean;
  /** Whether the session's files are on another computer. */
  elsewhere: boolean;
  /** Whether the user may send messages and answer questions. Default: both. */
  rights?: Rights | undefined;
}

/**
 * A conversation: takes lines and shows the results. The caller decides by `state` what to do with each line, and whether to wait before
 * the next.
 */
export class ChatSession {
  readonly turns: Turns;
  /** Whether anything was said in the session, so that it is worth returning to. */
  begun = false;
  /** True when the user asked to leave. */
  left = false;
  /** Text for the input line, from a command or from the queue. */
  input: Entered | undefined;
  private readonly shell: ShellLines;
  private readonly client: Client;
  readonly connection: Connection;
  private readonly screen: Screen;
  private readonly person: boolean;
  private readonly elsewhere: boolean;
  private readonly rights: Rights;
  private current = "";
  private leave: () => Promise<void> = async () => {};
  readonly commands: CommandLines;
  /** Questions of plugins; undefined when input comes from a program. */
  private questions: Questions | undefined;
  /** Runs lines and reloads one after the other. */
  private readonly work: WorkQueue;

  constructor(
    client: Client,
    connection: Connection,
    screen: Screen,
    { person, elsewhere, rights = ALL_RIGHTS }: ChatOptions,
  ) {
    this.client = client;
    this.connection = connection;
    this.screen = screen;
    this.person = person;
    this.elsewhere = elsewhere;
    this.rights = rights;
    this.turns = new Turns(client, screen, () => this.work.catchUp());
    this.shell = new ShellLines(client, this.turns);
    this.commands = new CommandLines(client, screen, this);
    const isQuiet = () => reactions[this.state].quiet;
    this.work = new WorkQueue(isQuiet, (thrown) => void this.tell(messageOf(thrown)));
  }

  get state(): ChatState {
    const { current, left, turns, questions, rights } = this;
    return stateOf({
      opened: current !== "",
      connected: !this.connection.isLost,
      left,
      // A user who may only read cannot cancel a turn.
      turn: left && turns.awaitsAny ? "own" : rights.write ? turns.running : "none",
      question: questions?.asked !== undefined,
      command: this.commands.isRunning,
    });
  }

  get sessionId(): string {
    return this.current;
  }

  /** Switches to this session. `said` replaces the line that announces it. */
  async enter(status: SessionStatus, said?: string): Promise<void> {
    const { sessionId } = status;
    await this.leave();
    // Stop showing questions of the former session.
    this.questions?.end();
    this.questions = undefined;
    await this.screen.answered();
    // The conversation is on the screen already if a command has only reloaded the session.
    let past: "first" | "again" | "known" = this.current === sessionId ? "known" : "first";
    if (this.current !== "" && past === "first")
      await this.client.request("close_session", { sessionId: this.current });
    this.current = sessionId;
    this.begun = status.leafId !== null;
    this.turns.nowRunning(status.running);
    await this.screen.opened(status, this.person, said);
    const told = this.person && past === "first" ? rightsText(this.rights) : undefined;
    if (told !== undefined) await this.tell(told);
    const questions =
      this.person && this.rights.answer ? new Questions(this.client, sessionId, this.screen, this.rights) : undefined;
    const watched = this.person && !questions ? new WatchedQuestions(this.screen) : undefined;
    this.leave = await follow(this.client, status, {
      past: this.person,
      took: (delivered) => {
        this.turns.hear(delivered);
        this.shell.hear(delivered);
      },
      now: async (view) => {
        const mayWait = view.status.host.waiting !== undefined || view.queue.length > 0;
        const queue = mayWait ? await this.queueIn(sessionId) : [];
        await this.screen.now(view, { queue, past, elsewhere: this.elsewhere });
        past = "again";
      },
      hear: (delivered) => this.hear(delivered, questions ?? watched),
      resumed: (mode, status) => {
        this.screen.here(status);
        this.resumed(mode, status);
      },
    });
    this.questions = questions;
    this.commands.entered();
    if (questions) await questions.attend(true);
    else if (watched) await watched.begin(this.client, sessionId);
    else await openQuestions(this.client, sessionId);
  }

  private async queueIn(sessionId: string): Promise<readonly QueuedMessage[]> {
    return (await everyPage((page) => this.client.request("get_queue", { sessionId, ...page }))).items;
  }

  /** Called when the connection is back. Unless the stream resumes where it was, events in flight are announced again. */
  private resumed(mode: ResumeMode, { running, waiting = 0 }: SessionStatus): void {
    if (mode === "stream_resume") return;
    this.turns.nowRunning(false);
    this.shell.forget();
    // The end of a turn and the queue are not announced again.
    if (!running)
      void this.client.drained(this.sessionId).then(
        async () => {
          await this.screen.endLine();
          // With `full_reload`, the whole session is shown again, including the queue.
          if (waiting > 0 && this.person && mode === "persistent_fallback")
            await this.screen.waiting(await this.queueIn(this.sessionId));
        },
        () => {},
      );
  }

  private async hear(delivered: Delivered, questions: Questions | WatchedQuestions | undefined): Promise<void> {
    const { type } = delivered.event;
    if (type === "missed") await this.lookAgain();
    await this.screen.hear(delivered);
    // After a reload by a command, questions are shown once the command's output was printed.
    if (!this.commands.holdsQuestions) await questions?.hear(delivered.event);
    if (type === "session_start") await this.commands.reloaded();
  }

  /** Requests whether a turn runs, since the events about it may be among the missed ones. */
  private async lookAgain(): Promise<void> {
    const { running } = await this.client.request("get_status", { sessionId: this.sessionId });
    this.turns.nowRunning(running);
  }

  /** Registers for questions again after a reload. */
  async attendAgain(): Promise<void> {
    await this.questions?.attend(true);
  }

  /** Reports a reload of the session. */
  async reloaded(status: SessionStatus, told: string): Promise<void> {
    await this.tell(told);
    await this.screen.notices(status.notices);
  }

  async tell(text: string): Promise<void> {
    await this.screen.line(text);
  }

  /** Runs `work` as soon as no turn runs, no question is open and no line is being processed. */
  between(work: () => Promise<void>): void {
    this.work.between(work);
  }

  /** Declines further questions, because the input has ended. */
  async declineQuestions(): Promise<void> {
    this.questions?.end();
    await this.questions?.attend(false);
    this.questions = undefined;
  }

  /** Returns completions for the end of a typed line, and the part that they replace. */
  async complete(line: string): Promise<[string[], string]> {
    const { from, values } = await this.client.request("complete_command", { sessionId: this.sessionId, line });
    return [values, line.slice(from)];
  }

  /** Processes a line: a slash command or a message. Throws when a turn cannot start. */
  async take(line: Entered): Promise<void> {
    try {
      await this.work.inTurn(() => this.read(line));
    } finally {
      this.work.catchUp();
    }
  }

  private async read({ text, isLiteral }: Entered): Promise<void> {
    if (text.trim() === "") return;
    const [, command, args = ""] = (isLiteral ? undefined : COMMAND.exec(text.trim())) ?? [];
    if (command === undefined) {
      if (!this.rights.write) {
        // Put the text back: the user may have typed it before they saw that they may only read.
        this.input = { text, isLiteral };
        throw errors.CHAT_LOOKS_ON();
      }
      if (!this.person || isLiteral || !(await this.shell.run(this.sessionId, text))) return this.send(text);
      this.begun = true;
      return;
    }
    if (command === "exit") this.left = true;
    else await this.commands.run(command, args.trim());
  }

  /** Returns whether a line is to be processed, or answers the question on the screen. */
  reactionTo({ text, isLiteral }: Entered): "take" | "answer" {
    const isCommand = !isLiteral && text.trim().startsWith("/") && this.questions?.takesAll !== true;
    return isCommand ? "take" : reactions[this.state].line;
  }

  /** Id of the question that a line typed now would answer. */
  get answerable(): string | undefined {
    return this.questions?.answerable;
  }

  /**
   * Answers the displayed question, if `answerable` was its id when the line was typed. If that question has ended meanwhile, processes the
   * line as usual.
   */
  async answer(line: Entered, answerable: string | undefined): Promise<void> {
    if (this.questions?.asked === undefined || this.reactionTo(line) === "take") return this.take(line);
    const message = await this.questions?.answer(line.text, answerable);
    if (message !== undefined) await this.send(message);
    this.work.catchUp();
  }

  /** Runs `first`, then declines the question that was displayed before. */
  async leaveQuestion(first?: () => Promise<unknown>): Promise<void> {
    const asked = this.questions?.asked;
    await first?.();
    if (asked !== undefined) await this.questions?.leave(asked);
    this.work.catchUp();
  }

  /**
   * Ends this conversation's running shell lines. If there are none, takes back its queued messages and cancels the running turn with its
   * question, whoever began it. The part of the reply that has arrived is kept.
   */
  async cancel(): Promise<void> {
    const { sessionId } = this;
    if (await this.shell.end(sessionId)) return;
    try {
      // First, because cancelling makes the next queued message begin a turn.
      await this.takeBack();
    } finally {
      await this.leaveQuestion(() => this.client.request("cancel", { sessionId }));
    }
  }

  /** The same when the user leaves: a turn that answers only other clients goes on. */
  async cancelOwn(): Promise<void> {
    await (this.turns.running === "own" ? this.cancel() : this.takeBack());
  }

  private async takeBack(): Promise<void> {
    const texts = await this.turns.takeBack(this.sessionId);
    if (texts === undefined) return;
    this.input = { text: texts, isLiteral: true };
    await this.screen.line("(your queued messages were taken back)");
  }

  /** Resolves when no turn is awaited. An interrupt cancels it. */
  async idle(interrupt?: AbortSignal): Promise<void> {
    let refused: Promise<void> | undefined;
    const cancel = () => {
      refused = this.cancelOwn();
      // Awaited below, after the turns have ended.
      refused.catch(() => {});
    };
    if (interrupt?.aborted && this.turns.awaitsAny) cancel();
    interrupt?.addEventListener("abort", cancel, { once: true });
    try {
      await this.turns.ended();
      await refused;
    } finally {
      interrupt?.removeEventListener("abort", cancel);
    }
  }

  private async send(content: string): Promise<void> {
    const { sessionId } = this;
    const sending = this.client.request("send_message", { sessionId, content }).catch((thrown) => {
      // The refused text goes back into the input line, where the user can change it.
      if (this.person) this.input = { text: content, isLiteral: true };
      throw thrown;
    });
    const { id, status } = await sayIfSlow(sending, () => {
      if (!this.connection.isLost) void this.screen.line(`(not taken by the host yet: ${lineOf(content)})`);
    });
    this.await(id, status === "queued" ? content : undefined);
    if (status === "queued")
      await this.screen.line(
        "(queued: this message is sent when the current turn ends; Ctrl-C cancels that turn and takes it back)",
      );
  }

  private await(id: string, queued?: string): void {
    this.begun = true;
    this.turns.await(this.sessionId, id, queued);
  }

  /** Shows the result of a slash command, and carries out what the result asks for. */
  async done({ output, sessionId, input, copy, turn, leave = false }: Obeyed): Promise<void> {
    if (copy !== undefined) await (this.person ? this.copied(copy) : this.screen.block(copy));
    // When the command switches sessions, its one-line output announces the new one.
    const said = sessionId !== undefined && this.person && !output?.includes("\n") ? output : undefined;
    if (output && said === undefined && copy === undefined) await this.screen.table(output);
    if (sessionId !== undefined) await this.enter(await this.client.request("get_status", { sessionId }), said);
    if (turn !== undefined) this.await(turn);
    this.input = input && { text: input.text, isLiteral: !input.isCommand };
    this.left ||= leave;
  }

  /** Copies text to the clipboard, and tells the user its length and first line, whatever the host says about it. */
  private async copied(text: string): Promise<void> {
    const [characters, line] = copiedPart(text);
    await this.screen.copy(text);
    await this.screen.table(`Copied ${characters} characters: ${visibleText(line)}`);
  }
}
