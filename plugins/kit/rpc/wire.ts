import { createOutput } from "../terminal/output.ts";
import { onAbort } from "../values/abort.ts";
import { isTable } from "../values/table.ts";
import { messagesIn, type Read } from "./lines.ts";

/** Milliseconds to wait for the answers to pending requests after stdin has ended or an interrupt. */
const LAST_ANSWERS_MS = 10_000;

/** The streams of a command that another program has started in order to communicate with it. */
interface Streams {
  stdin: NodeJS.ReadableStream & { destroy(): unknown };
  stdout: Parameters<typeof createOutput>[0];
  interrupt: AbortSignal;
}

/** JSON-RPC messages in both directions, in the form that protocol libraries use. */
export interface Wire<M> {
  readable: ReadableStream<M>;
  writable: WritableStream<M>;
}

/**
 * Reads JSON-RPC messages from stdin and writes them to stdout. Invalid lines are answered with an error here, because libraries would
 * repeat them in their own errors, however large or deep they are. When stdin ends or fails, or at an interrupt, `leave` is called, and
 * requests received until then are still answered.
 */
export function createWire<M>({ stdin, stdout, interrupt }: Streams, leave: () => Promise<void>): Wire<M> {
  const output = createOutput(stdout);
  const asked = new Asked();
  const write = async (message: unknown) => {
    await output.write(`${jsonOf(message)}\n`);
    asked.sent(message as Fields);
    // Ends the connection: the other program has closed stdout and receives nothing more.
    if (output.failure) throw output.failure;
  };
  const messages = messagesIn(stdin);
  const end = async () => {
    await leave();
    await asked.answered(LAST_ANSWERS_MS);
  };
  return {
    readable: new ReadableStream<M>({
      async pull(controller) {
        for (;;) {
          const { value: read, done } = await nextOf(messages, interrupt).catch(async (thrown: unknown) => {
            await end();
            throw thrown;
          });
          if (done) {
            await end();
            return controller.close();
          }
          if ("message" in read) {
            asked.received(read.message);
            return controller.enqueue(read.message as unknown as M);
          }
          await write({ jsonrpc: "2.0", id: null, error: read.refusal });
        }
      },
      cancel: async () => {
        stdin.destroy();
      },
    }),
    writable: new WritableStream<M>({ write }),
  };
}

/**
 * The next message, or the end at an interrupt. A race with one promise for the interrupt would keep all messages in memory until it
 * settles.
 */
function nextOf(messages: AsyncGenerator<Read>, interrupt: AbortSignal): Promise<IteratorResult<Read, unknown>> {
  return new Promise((resolve, reject) => {
    const ignore = onAbort(interrupt, () => resolve({ value: undefined, done: true }));
    messages.next().then(resolve, reject).finally(ignore);
  });
}

/** A backslash, or half of a pair of UTF-16, as `JSON.stringify` writes them. */
const ESCAPED = /\\(?:\\|ud[89a-f][\da-f]{2})/g;

/** A message as JSON without halves of pairs: strict parsers refuse them, and the whole message with them. */
function jsonOf(message: unknown): string {
  return JSON.stringify(message).replace(ESCAPED, (escaped) => (escaped === "\\\\" ? escaped : "\\ufffd"));
}

type Fields = Readonly<Record<string, unknown>>;

/** The ids of requests that are not answered yet. */
class Asked {
  private readonly open = new Set<unknown>();
  private finish = () => {};

  received({ id, method, params }: Fields): void {
    if (id !== undefined && method !== undefined) this.open.add(id);
    // A cancelled request of the Model Context Protocol gets no answer.
    if (method === "notifications/cancelled" && isTable(params)) this.open.delete(params.requestId);
  }

  sent({ id, method }: Fields): void {
    if (method === undefined) this.open.delete(id);
    if (this.open.size === 0) this.finish();
  }

  /** Resolves when all requests are answered, or after `limit` milliseconds. */
  async answered(limit: number): Promise<void> {
    if (this.open.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      timer = setTimeout(resolve, limit);
    });
    clearTimeout(timer);
  }
}
