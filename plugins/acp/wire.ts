import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Invocation } from "@scorel/cli/contract";
import { createOutput } from "@scorel/kit/terminal/output";
import { messagesIn } from "./lines.ts";

/** How long requests may take that are not answered yet when the editor has closed stdin. */
const LAST_ANSWERS_MS = 10_000;

/**
 * The messages of an editor at stdin, and those for it at stdout. Lines that are no message are answered with an error here: the SDK
 * would repeat them in its own, however large or deep they are. When stdin has ended, or at an interrupt, `leave` is called, and what was asked until then is
 * still answered.
 */
export function createWire(
  { stdin, stdout, interrupt }: Pick<Invocation, "stdin" | "stdout" | "interrupt">,
  leave: () => Promise<void>,
): Stream {
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
    readable: new ReadableStream<AnyMessage>({
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
            return controller.enqueue(read.message as unknown as AnyMessage);
          }
          await write({ jsonrpc: "2.0", id: null, error: read.refusal });
        }
      },
      cancel: async () => {
        stdin.destroy();
      },
    }),
    writable: new WritableStream<AnyMessage>({ write }),
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

/**
 * Sends what extensions and libraries write to the process's stdout to stderr, until the returned function is called. Commands have
 * a stream of their own, which this does not change.
 */
export function keepStdoutClean(): () => void {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = ((...given: Parameters<typeof stderr.write>) => stderr.write(...given)) as typeof stdout.write;
  return () => {
    stdout.write = write;
  };
}
