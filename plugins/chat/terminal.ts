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

interface Streams extends Pick<Invocation, "stdin" | "stdout" | "terminal" | "interrupt"> {
  /** A message that is sent before anything is typed. */
  first?: string | undefined;
}

/**
 * Reads the user's lines until they leave. `reactions` in states.ts decides what each key, line and signal does; this function carries it
 * out.
 */
export async function talk(chat: Chat, screen: Screen, streams: Streams): Promise<void> {
  const { lines, keys } = openLines(streams, (line) => chat.complete(line));
  const typed = new TypedLine(lines, (streams.terminal ?? streams.stdout) as Writable);
  keys?.on("paste", (text: string) => typed.put({ text, isLiteral: true }));
  keys?.on("keypress", () => typed.pressed());
  const say = (thrown: unknown) => screen.line(messageOf(thrown));
  let work = Promise.resolve();
  let answers = Promise.resolve();
  const prompt = () => {
    if (!reactions[chat.state].prompts) return;
    typed.want();
    if (chat.input !== undefined && typed.offer(chat.input)) chat.input = undefined;
  };
  const take = async (line: Entered) => {
    await chat.take(line).catch(say);
    if (chat.left) lines.close();
    typed.again();
    void chat.idle().catch(say).then(prompt);
  };
  const after = (cancelled: Promise<unknown>) => void cancelled.catch(say).then(prompt);
  const does = {
    nothing: () => {},
    clear: () => void (typed.drop() || lines.close()),
    decline: () => void chat.leaveQuestion().catch(say),
    cancel: () => after(chat.cancel()),
    cancelOwn: () => after(chat.cancelOwn()),
    cancelCommand: () => after(chat.commands.cancel()),
    leave() {
      after(chat.commands.cancel());
      lines.close();
    },
    cancelAndLeave() {
      after(Promise.all([chat.cancelOwn(), chat.commands.cancel()]));
      lines.close();
    },
    newline: () => screen.newline(),
    take: (line: Entered) => {
      work = work.then(() => take(line));
    },
    // Not queued behind `work`: a command that asks a question ends only when it is answered. By then another question may be open.
    answer: (line: Entered) => {
      const { answerable } = chat;
      answers = answers.then(() => chat.answer(line, answerable)).catch(say);
    },
  };
  const hangUp = () => does[reactions[chat.state].hangUp]();
  streams.interrupt.addEventListener("abort", hangUp, { once: true });
  lines.on("SIGINT", () => does[reactions[chat.state].interrupt]());
  lines.on("line", (entered) => {
    const line = typed.entered(entered);
    does[chat.reactionTo(line)](line);
  });
  const awake = wakingUp(lines, keys, typed);
  screen.over(typed);
  if (streams.first === undefined) prompt();
  else {
    await screen.line(`> ${streams.first}`);
    does.take({ text: streams.first, isLiteral: true });
  }
  await new Promise<void>((resolve) => lines.on("close", resolve));
  const atEnd = reactions[chat.state].end;
  chat.left = true;
  awake.end();
  typed.end();
  keys?.end();
  await does[atEnd]();
  const finish = async () => {
    await chat.session.declineQuestions().catch(say);
    await answers;
    await work;
    await chat.idle().catch(say);
  };
  await chat.connection.orLost(finish());
  streams.interrupt.removeEventListener("abort", hangUp);
}

/**
 * Restores raw mode after Ctrl-Z and `fg`, or SIGTSTP and SIGCONT, since the shell has changed the terminal's settings.
 */
function wakingUp(lines: Interface, keys: TerminalInput | undefined, typed: TypedLine): { end(): void } {
  const wake = () => {
    // Node does not set a mode that it believes to be set, so toggle it.
    for (const raw of [false, true]) keys?.setRawMode(raw);
    typed.redraw();
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
