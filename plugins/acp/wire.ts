import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Invocation } from "@scorel/cli/contract";
import { createOutput } from "@scorel/kit/terminal/output";
import { messagesIn } from "./lines.ts";

/**
 * The messages of an editor at stdin, and those for it at stdout. Lines that are no message are answered with an error here: the SDK
 * would repeat them in its own, however large or deep they are.
 */
export function createWire({ stdin, stdout }: Pick<Invocation, "stdin" | "stdout">): Stream {
  const output = createOutput(stdout);
  const write = async (message: unknown) => {
    await output.write(`${JSON.stringify(message)}\n`);
    // The connection ends with it: whoever has closed stdout hears nothing more.
    if (output.failure) throw output.failure;
  };
  const messages = messagesIn(stdin);
  return {
    readable: new ReadableStream<AnyMessage>({
      async pull(controller) {
        for (;;) {
          const { value: read, done } = await messages.next();
          if (done) return controller.close();
          if ("message" in read) return controller.enqueue(read.message as unknown as AnyMessage);
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
