import type { Invocation } from "@scorel/cli/contract";
import { messageOf } from "@scorel/kernel";
import type { Chat } from "./chat.ts";
import type { Screen } from "./screen.ts";

/** Reads lines from a pipe, and waits for the answer to each before it reads the next. Returns whether there was any line. */
export async function readPipe(
  chat: Chat,
  screen: Screen,
  { stdin, interrupt, args: [first] }: Invocation,
): Promise<boolean> {
  let hasInput = first !== undefined;
  const stop = () => {
    void chat.commands.cancel().catch((thrown) => screen.line(messageOf(thrown)));
    stdin.destroy(interrupt.reason);
  };
  interrupt.addEventListener("abort", stop, { once: true });
  const take = (text: string, isLiteral: boolean) =>
    chat.connection.orLost(
      chat.take({ text, isLiteral }).then(() => chat.idle(interrupt)),
      interrupt,
    );
  try {
    if (first !== undefined) await take(first, true);
    for await (const line of linesOf(stdin)) {
      if (chat.left || interrupt.aborted) break;
      hasInput ||= line.trim() !== "";
      await take(line, false);
      if (chat.left || interrupt.aborted) break;
    }
  } catch (thrown) {
    if (!interrupt.aborted) throw thrown;
  }
  return hasInput;
}

/** Splits a byte stream into lines at "\n" only, since a prompt may contain any other character, even U+2028. */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    // Only what has arrived is searched: searching all of a long line again for each chunk would take quadratic time.
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) {
        yield rest.replace(/\r$/, "");
        rest = "";
      }
      rest += part;
    }
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
