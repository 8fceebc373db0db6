import type { Readable, Writable } from "node:stream";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { Finished, RunOptions, Scratch } from "./scorel.ts";

type Progress = (progress: { message?: string | undefined }) => void;

/**
 * Another agent: the SDK's client, with `scorel mcp serve` as its server. Each line from the server has to be a
 * protocol message.
 */
export interface TestAgent extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** The names of the tools that are offered. */
  tools(): Promise<string[]>;
  /** Calls a tool and returns its text. Rejects with the text of an error. */
  call(name: string, args?: object, more?: { signal?: AbortSignal; onprogress?: Progress }): Promise<string>;
  /** Closes stdin, and resolves when the command has ended. */
  leave(): Promise<Finished>;
  readonly ended: Promise<Finished>;
}

export async function agent(s: Scratch, args: readonly string[] = [], options: RunOptions = {}): Promise<TestAgent> {
  const running = s.start(["mcp", "serve", ...args], { ...options, open: true });
  const { stdin, stdout } = running.child as { stdin: Writable; stdout: Readable };
  const client = new Client({ name: "test", version: "1" });
  const { transport, faults } = transportOver(stdin, stdout);
  await client.connect(transport);
  const leave = async () => {
    stdin.end();
    const finished = await running.finished;
    if (faults.length > 0) throw new Error(`Not a message: ${faults.join("\n")}`);
    return finished;
  };
  return {
    client,
    leave,
    pid: running.pid,
    ended: running.finished,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, given = {}, more = {}) {
      const result = await client.callTool({ name, arguments: given as Record<string, unknown> }, more);
      const [block] = result.content;
      const text = block?.type === "text" ? block.text : "";
      if (result.isError) throw new Error(text);
      return text;
    },
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}

function transportOver(stdin: Writable, stdout: Readable): { transport: Transport; faults: string[] } {
  const faults: string[] = [];
  let rest = "";
  const transport: Transport = {
    async start() {
      stdout.on("data", (chunk: string | Buffer) => {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const message = messageIn(line);
          if (message) transport.onmessage?.(message);
          else faults.push(line);
        }
      });
      stdout.on("end", () => transport.onclose?.());
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      stdin.end();
    },
  };
  return { transport, faults };
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const message = JSON.parse(line);
    return message.jsonrpc === "2.0" ? message : undefined;
  } catch {
    return undefined;
  }
}
