import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { Invocation, Launch } from "@scorel/cli/contract";
import { optionsFrom } from "@scorel/host/command-line";
import type { HostService, KnownSessionOptions } from "@scorel/host/contract";
import { canonical } from "@scorel/kit/files/paths";
import { createWire, type Wire } from "@scorel/kit/rpc/wire";
import { keepStdoutClean } from "@scorel/kit/terminal/clean-stdout";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { scopesIn } from "./scopes.ts";
import { createServer } from "./server.ts";
import { Tasks } from "./tasks.ts";
import { toolsFor } from "./tools.ts";

/** The services of the host that `scorel mcp serve` uses. */
export interface Surroundings {
  host: HostService;
  sessionOptions: KnownSessionOptions;
  launch: Pick<Launch, "version">;
}

/** `scorel mcp serve`: serves another agent until it closes stdin, or until an interrupt. Returns the exit code. */
export async function serve(ctx: Surroundings, invocation: Invocation): Promise<number> {
  const { stderr, options, cwd } = invocation;
  const scopes = scopesIn(options.scope);
  const restoreStdout = keepStdoutClean();
  const client = ctx.host.connect({ name: "mcp" });
  try {
    const log = (text: string) => void stderr.write(`scorel: ${plainText(continued(text))}\n`);
    const chosen = optionsFrom(options, ctx.sessionOptions.known());
    const tasks = new Tasks({ client, root: canonical(cwd), options: chosen, answers: scopes.has("approve"), log });
    const server = await createServer(toolsFor(tasks, scopes), ctx.launch.version);
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    await server.connect(transportOver(createWire<JSONRPCMessage>(invocation, () => tasks.cancel())));
    await closed;
    await tasks.end();
    return 0;
  } finally {
    await client.close();
    restoreStdout();
  }
}

/** Wraps a message stream as a transport of the SDK. */
function transportOver({ readable, writable }: Wire<JSONRPCMessage>): Transport {
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const transport: Transport = {
    async start() {
      void pass();
    },
    send: (message) => writer.write(message),
    async close() {
      await reader.cancel();
      transport.onclose?.();
    },
  };
  const pass = async () => {
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        transport.onmessage?.(value);
      }
    } catch (thrown) {
      transport.onerror?.(thrown as Error);
    }
    transport.onclose?.();
  };
  return transport;
}
