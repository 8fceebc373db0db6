import { ALL_RIGHTS, copiedPart, type Obeyed } from "@scorel/host/client";
import type { Client, Rights } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { visibleText } from "@scorel/kit/text/plain";
import { CommandLines } from "./command-lines.ts";
import type { Connection } from "./connection.ts";
import { errors } from "./errors.ts";
import type { Screen } from "./screen.ts";
import { ShellLines } from "./shell-lines.ts";
import { ShownSession } from "./shown-session.ts";
import { sayIfSlow } from "./slow.ts";
import { type ChatState, reactions, stateOf } from "./states.ts";
import { Turns } from "./turns.ts";
import type { Entered } from "./typed-line.ts";
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
 * Sends the user's lines and answers, and cancels for them. The caller decides by `state` how to handle each line, and whether to wait before
 * the next.
 */
export class Chat {
  /** The session that the lines are for. A slash command may switch to another one. */
  readonly session: ShownSession;
  readonly turns: Turns;
  readonly commands: CommandLines;
  readonly connection: Connection;
  /** True when the user asked to leave. */
  left = false;
  /** Text for the input line, from a command or from the queue. */
  input: Entered | undefined;
  private readonly client: Client;
  private readonly screen: Screen;
  private readonly person: boolean;
  private readonly rights: Rights;
  private readonly shell: ShellLines;
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
    this.rights = rights;
    this.turns = new Turns(client, screen, () => this.work.catchUp());
    this.shell = new ShellLines(client, this.turns);
    this.commands = new CommandLines(client, screen, this);
    const { turns, shell, commands } = this;
    this.session = new ShownSession({ client, screen, turns, shell, commands, person, elsewhere, rights });
    const isQuiet = () => reactions[this.state].quiet;
    this.work = new WorkQueue(isQuiet, (thrown) => void screen.line(messageOf(thrown)));
  }

  get state(): ChatState {
    const { left, turns, session, rights } = this;
    return stateOf({
      opened: session.sessionId !== "",
      connected: !this.connection.isLost,
      left,
      // A user who may only read cannot cancel a turn.
      turn: left && turns.awaitsAny ? "own" : rights.write ? turns.running : "none",
      question: session.questions?.asked !== undefined,
      command: this.commands.isRunning,
    });
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
      if (!this.person || isLiteral || !(await this.shell.run(this.session.sessionId, text))) return this.send(text);
      this.session.begun = true;
      return;
    }
    if (command === "exit") this.left = true;
    else {
      if (!this.person) await this.commands.refuseSealed(command);
      await this.commands.run(command, args.trim());
    }
  }

  private async send(content: string): Promise<void> {
    const { sessionId } = this.session;
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
    this.session.begun = true;
    this.turns.await(this.session.sessionId, id, queued);
  }

  /** Shows the result of a slash command, and carries out what the result asks for. */
  async done({ output, sessionId, input, copy, turn, leave = false }: Obeyed): Promise<void> {
    if (copy !== undefined) await (this.person ? this.copied(copy) : this.screen.block(copy));
    // When the command switches sessions, its one-line output announces the new one.
    const said = sessionId !== undefined && this.person && !output?.includes("\n") ? output : undefined;
    if (output && said === undefined && copy === undefined) await this.screen.table(output);
    if (sessionId !== undefined) await this.session.enter(await this.client.request("get_status", { sessionId }), said);
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

  /** Returns completions for the end of a typed line, and the part that they replace. */
  async complete(line: string): Promise<[string[], string]> {
    const { from, values } = await this.client.request("complete_command", { sessionId: this.session.sessionId, line });
    return [values, line.slice(from)];
  }

  /** Returns whether a line is to be processed, or answers the question on the screen. */
  reactionTo({ text, isLiteral }: Entered): "take" | "answer" {
    const isCommand = !isLiteral && text.trim().startsWith("/") && this.session.questions?.takesAll !== true;
    return isCommand ? "take" : reactions[this.state].line;
  }

  /** Id of the question that a line typed now would answer. */
  get answerable(): string | undefined {
    return this.session.questions?.answerable;
  }

  /**
   * Answers the displayed question, if `answerable` was its id when the line was typed. If that question has ended meanwhile, processes the
   * line as usual.
   */
  async answer(line: Entered, answerable: string | undefined): Promise<void> {
    if (this.session.questions?.asked === undefined || this.reactionTo(line) === "take") return this.take(line);
    const message = await this.session.questions?.answer(line.text, answerable);
    if (message !== undefined) await this.send(message);
    this.work.catchUp();
  }

  /** Runs `first`, then declines the question that was displayed before. */
  async leaveQuestion(first?: () => Promise<unknown>): Promise<void> {
    const asked = this.session.questions?.asked;
    await first?.();
    if (asked !== undefined) await this.session.questions?.leave(asked);
    this.work.catchUp();
  }

  /**
   * Ends this conversation's running shell lines. If there are none, takes back its queued messages and cancels the running turn with its
   * question, whoever began it. The part of the reply that has arrived is kept.
   */
  async cancel(): Promise<void> {
    const { sessionId } = this.session;
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
    const texts = await this.turns.takeBack(this.session.sessionId);
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

  /** Runs `work` as soon as no turn runs, no question is open and no line is being processed. */
  between(work: () => Promise<void>): void {
    this.work.between(work);
  }
}
