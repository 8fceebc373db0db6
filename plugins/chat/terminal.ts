import { createInterface, type Interface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";
import { plainText } from "@scorel/host/client";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Screen } from "./screen.ts";
import type { ChatSession } from "./session.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

/** Asks a person; anything but a yes is a no, so are Ctrl-C and Ctrl-D. */
export async function agrees(question: string, streams: Streams): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await answered(question, streams));
}

/** What a person answers; nothing when they leave the question by Ctrl-C or Ctrl-D. */
export function answered(question: string, streams: Streams): Promise<string> {
  const lines = openLines(streams);
  return new Promise((resolve) => {
    lines.on("close", () => resolve(""));
    lines.on("SIGINT", () => lines.close());
    lines.question(plainText(question), (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * Feeds what a person types to a conversation until they leave. A line typed while a turn runs is taken
 * too; Ctrl-C cancels the turn, and leaves when none runs, as does Ctrl-D.
 */
export async function talk(chat: ChatSession, screen: Screen, streams: Streams): Promise<void> {
  const lines = openLines(streams, (line) => chat.complete(line));
  const say = (thrown: unknown) => screen.line(`${codeOf(thrown)}: ${messageOf(thrown)}`);
  let closed = false;
  let work = Promise.resolve();
  const askAgain = () => {
    if (closed || chat.busy) return;
    lines.prompt(true);
    // A newline would send what is before it.
    if (chat.input !== undefined) lines.write(plainText(chat.input).replace(/\s+/g, " "));
    chat.input = undefined;
  };
  const take = async (line: string) => {
    await chat.take(line).catch(say);
    if (chat.left) lines.close();
    void chat.idle().catch(say).then(askAgain);
  };
  const cancel = () => void chat.cancel().catch(say);
  const leave = () => {
    if (chat.busy) cancel();
    lines.close();
  };
  streams.interrupt.addEventListener("abort", leave, { once: true });
  lines.on("SIGINT", () => (chat.busy ? cancel() : lines.close()));
  lines.on("line", (line) => {
    work = work.then(() => take(line));
  });
  askAgain();
  await new Promise<void>((resolve) => lines.on("close", resolve));
  closed = true;
  if (!chat.left && !chat.busy) await screen.newline();
  await work;
  await chat.deaf().catch(say);
  await chat.idle().catch(say);
  streams.interrupt.removeEventListener("abort", leave);
}

type Complete = (line: string) => Promise<[string[], string]>;

function openLines({ stdin, stdout }: Streams, complete?: Complete): Interface {
  return createInterface({
    input: stdin,
    output: stdout,
    terminal: stdout.isTTY === true,
    prompt: "> ",
    ...(complete && { completer: completing(complete) }),
  });
}

/** A completion that fails leaves the line as it is. */
function completing(complete: Complete) {
  return (line: string, done: (error: null, result: [string[], string]) => void) =>
    void complete(line).then(
      (result) => done(null, result),
      () => done(null, [[], line]),
    );
}
