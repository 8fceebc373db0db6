import { createInterface, type Interface } from "node:readline";
import type { Writable } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { messageOf } from "@scorel/kernel";
import { forgiveClosed } from "@scorel/kit/terminal/answer";
import type { Chat } from "./chat.ts";
import type { Screen } from "./screen.ts";
import { reactions } from "./states.ts";
import { type KeyStream, TerminalInput } from "./terminal-input.ts";
import { type Entered, TypedLine } from "./typed-line.ts";

const CTRL_D = "\u0004";
/** Milliseconds within which a key leaves that was pressed before, and then said what ends with this terminal. */
const READING_MS = 5_000;

interface Streams extends Pick<Invocation, "stdin" | "stdout" | "terminal" | "interrupt"> {
  /** A message that is sent before anything is typed. */
  first?: string | undefined;
  /** Describes the work of a session that ends with this terminal, "" for none; undefined if its work does not. */
  ending(sessionId: string): Promise<string> | undefined;
  /** Whether a session ends with this process. Otherwise its turns belong to a host, where they continue. */
  isHere(sessionId: string): boolean;
}

/** Reads the user's lines until they leave. */
export async function talk(chat: Chat, screen: Screen, streams: Streams): Promise<void> {
  await new Talk(chat, screen, streams).run(streams);
}

/** Carries out what each key, line and signal does by `reactions` in states.ts. */
class Talk {
  private readonly chat: Chat;
  private readonly screen: Screen;
  private readonly lines: Interface;
  private readonly keys: TerminalInput | undefined;
  private readonly typed: TypedLine;
  private readonly ending: Streams["ending"];
  private readonly isHere: Streams["isHere"];
  private leavesUntil = Number.NEGATIVE_INFINITY;
  /** Settles when all lines that were taken until now are processed. */
  private work = Promise.resolve();
  /** Settles when all answers that were given until now are processed. */
  private answers = Promise.resolve();
  private letGo = () => {};
  /** Resolves when the user is gone, and the running turn continues without them. */
  private readonly isLetGo = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  constructor(chat: Chat, screen: Screen, streams: Streams) {
    this.chat = chat;
    this.screen = screen;
    this.ending = streams.ending;
    this.isHere = streams.isHere;
    const { lines, keys } = openLines(streams, (line) => chat.complete(line));
    this.lines = lines;
    this.keys = keys;
    this.typed = new TypedLine(lines, (streams.terminal ?? streams.stdout) as Writable);
  }

  async run({ interrupt, first }: Pick<Streams, "interrupt" | "first">): Promise<void> {
    const { chat, screen, lines, keys, typed } = this;
    const hangUp = () => this.does[reactions[chat.state].hangUp]();
    interrupt.addEventListener("abort", hangUp, { once: true });
    this.listen();
    const awake = wakingUp(lines, keys, typed);
    const closed = new Promise<void>((resolve) => lines.on("close", resolve));
    screen.over(typed);
    if (first === undefined) this.prompt();
    else {
      await screen.line(`> ${first}`);
      this.does.take({ text: first, isLiteral: true });
    }
    await closed;
    const { end } = reactions[chat.state];
    const atEnd = end === "wait" && interrupt.aborted ? "nothing" : end;
    chat.left = true;
    awake.end();
    typed.end();
    keys?.end();
    await this.does[atEnd]();
    await chat.connection.orLost(this.finish());
    interrupt.removeEventListener("abort", hangUp);
  }

  private listen(): void {
    const { chat, lines, keys, typed } = this;
    keys?.on("paste", (text: string) => typed.put({ text, isLiteral: true }));
    keys?.on("keypress", () => typed.pressed());
    if (keys) keys.takes = (typed) => typed === CTRL_D && lines.line === "" && this.depart("Ctrl-D");
    lines.on("SIGINT", () => this.does[reactions[chat.state].interrupt]());
    lines.on("line", (entered) => {
      const line = typed.entered(entered);
      this.does[chat.reactionTo(line)](line);
    });
  }

  /** Shows the prompt if the state has one, with the text that the conversation puts into the line. */
  private prompt(): void {
    const { chat, typed } = this;
    if (!reactions[chat.state].prompts) return;
    typed.want();
    if (chat.input !== undefined && typed.offer(chat.input)) chat.input = undefined;
  }

  /** Leaves. If work ends with this terminal, the first press of a key says so. Returns true. */
  private depart(key: string): true {
    const { lines, chat, screen } = this;
    const { sessionId } = chat.session;
    const ending = performance.now() < this.leavesUntil || sessionId === "" ? undefined : this.ending(sessionId);
    if (!ending) lines.close();
    else {
      this.leavesUntil = performance.now() + READING_MS;
      const tell = (what: string) =>
        what === "" ? lines.close() : screen.line(`(${what} with this terminal. Press ${key} again to leave.)`);
      void ending.then(tell).catch(this.say);
    }
    return true;
  }

  /** The functions that carry out reactions to keys, by the names of the reactions in states.ts. */
  private readonly does = {
    nothing: () => {},
    newline: () => this.screen.newline(),
    wait: () => this.screen.line("(leaving when the turn ends; Ctrl-C cancels the turn)"),
    clear: () => void (this.typed.drop() || this.depart("Ctrl-C")),
    decline: () => void this.chat.leaveQuestion().catch(this.say),
    cancel: () => this.after(this.chat.cancel()),
    cancelOwn: () => this.after(this.chat.cancelOwn()),
    cancelCommand: () => this.after(this.chat.commands.cancel()),
    leave: () => {
      this.after(this.chat.commands.cancel());
      this.lines.close();
    },
    cancelAndLeave: () => {
      const { chat } = this;
      const isHere = this.isHere(chat.session.sessionId);
      if (!isHere) this.letGo();
      this.after(Promise.all([isHere && chat.cancelOwn(), chat.commands.cancel()]));
      this.lines.close();
    },
    take: (line: Entered) => {
      this.work = this.work.then(() => this.take(line));
    },
    // Not queued behind `work`: a command that asks a question ends only when it is answered. By then another question may be open.
    answer: (line: Entered) => {
      const { answerable } = this.chat;
      this.answers = this.answers.then(() => this.chat.answer(line, answerable)).catch(this.say);
    },
  };

  private async take(line: Entered): Promise<void> {
    const { chat, lines, typed } = this;
    await chat.take(line).catch(this.say);
    if (chat.left) lines.close();
    typed.again();
    this.after(chat.idle());
  }

  /** Shows the prompt when `work` has ended, and its error if it fails. */
  private after(work: Promise<unknown>): void {
    void work.catch(this.say).then(() => this.prompt());
  }

  /** Waits for everything that was entered. Questions are left to other clients, and declined if there are none. */
  private async finish(): Promise<void> {
    const { chat } = this;
    await chat.session.declineQuestions().catch(this.say);
    await this.answers;
    await this.work;
    await Promise.race([chat.idle().catch(this.say), this.isLetGo]);
  }

  private readonly say = (thrown: unknown): Promise<void> => this.screen.line(messageOf(thrown));
}

/**
 * Restores raw mode after Ctrl-Z and `fg`, or SIGTSTP and SIGCONT, since the shell has changed the terminal's settings. Also reads the
 * terminal's size, since the shell was told about a new one.
 */
function wakingUp(lines: Interface, keys: TerminalInput | undefined, typed: TypedLine): { end(): void } {
  const wake = () => {
    // Node does not set a mode that it believes to be set, so toggle it.
    for (const raw of [false, true]) keys?.setRawMode(raw);
    typed.redraw(() => process.emit("SIGWINCH", "SIGWINCH"));
  };
  process.on("SIGCONT", wake);
  // Readline pauses input for Ctrl-Z and does not resume it.
  lines.on("SIGCONT", () => lines.resume());
  return { end: () => void process.off("SIGCONT", wake) };
}

type Complete = (line: string) => Promise<[string[], string]>;

/** Begins to read lines. For a terminal, also returns the stream of its keys. */
function openLines({ stdin, stdout, terminal = stdout }: Streams, complete?: Complete) {
  forgiveClosed(stdin);
  const isTerminal = stdout.isTTY === true;
  const keys = isTerminal ? new TerminalInput(stdin as KeyStream, terminal) : undefined;
  const lines = createInterface({
    input: (keys ?? stdin) as NodeJS.ReadableStream,
    output: terminal,
    terminal: isTerminal,
    prompt: "> ",
    ...(complete && { completer: completing(complete) }),
  });
  return { lines, keys };
}

/** Ignores completions that fail. */
function completing(complete: Complete) {
  return (line: string, done: (error: null, result: [string[], string]) => void) =>
    void complete(line).then(
      (result) => done(null, result),
      () => done(null, [[], line]),
    );
}
