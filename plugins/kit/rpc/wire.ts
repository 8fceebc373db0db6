import { createOutput } from "../terminal/output.ts";
import { messagesIn } from "./lines.ts";

/** How long requests may take that are not answered yet when the other program has closed stdin. */
const LAST_ANSWERS_MS = 10_000;

/** The streams of a command that another program has started to talk to. */
interface Streams {
  stdin: NodeJS.ReadableStream & { destroy(): unknown };
  stdout: Parameters<typeof createOutput>[0];
  interrupt: AbortSignal;
}

/** JSON-RPC messages in both directions, as protocols' libraries take them. */
export interface Wire<M> {
  readable: ReadableStream<M>;
  writable: WritableStream<M>;
}

/**
 * The JSON-RPC messages of another program at stdin, and those for it at stdout. Lines that are no message are answered with an error here:
 * libraries would repeat them in their own, however large or deep they are. When stdin has ended, or at an interrupt, `leave` is called, and what
 * was asked until then is still answered.
 */
export function createWire<M>({ stdin, stdout, interrupt }: Streams, leave: () => Promise<void>): Wire<M> {
  const output = createOutput(stdout);
  const asked = new Asked();
  const write = async (message: unknown) => {
    await output.write(`${JSON.stringify(message)}\n`);
    asked.sent(message as Fields);
    // The connection ends with it: whoever has closed stdout hears nothing more.
    if (output.failure) throw output.failure;
  };
  const messages = messagesIn(stdin);
  const interrupted = new Promise<{ value: undefined; done: true }>((resolve) => {
    const end = () => resolve({ value: undefined, done: true });
    interrupt.addEventListener("abort", end, { once: true });
    if (interrupt.aborted) end();
  });
  return {
    readable: new ReadableStream<M>({
      async pull(controller) {
        for (;;) {
          const { value: read, done } = await Promise.race([messages.next(), interrupted]);
          if (done) {
            await leave();
            await asked.answered(LAST_ANSWERS_MS);
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

type Fields = Readonly<Record<string, unknown>>;

/** Ids of the requests that were not answered yet. */
class Asked {
  private readonly open = new Set<unknown>();
  private finish = () => {};

  received({ id, method }: Fields): void {
    if (id !== undefined && method !== undefined) this.open.add(id);
  }

  sent({ id, method }: Fields): void {
    if (method === undefined) this.open.delete(id);
    if (this.open.size === 0) this.finish();
  }

  /** Resolves when all are answered, or after a while. */
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
