import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export interface Listener {
  /** The server offers other tools than before. */
  changed(): void;
  /** The process has ended, or could not be started. */
  ended(how: string): void;
}

/** A request, an answer or a notification. */
interface Message {
  id?: number;
  method?: string;
  result?: unknown;
  error?: { message: string };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** JSON-RPC with a child process, one message on each line. */
export class Connection {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly listener: Listener;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private over: string | undefined;

  constructor([file, ...args]: readonly [string, ...string[]], cwd: string, listener: Listener) {
    this.listener = listener;
    this.child = spawn(file, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
    this.child.stdin.on("error", () => {}); // The process has ended, which its own events tell.
    this.child.once("error", ({ message }) => this.end(message));
    this.child.once("close", (code, signal) => this.end(signal ?? `exit code ${code}`));
    createInterface({ input: this.child.stdout }).on("line", (line) => this.hear(line));
  }

  async request<R>(method: string, params: object, signal?: AbortSignal): Promise<R> {
    signal?.throwIfAborted();
    if (this.over !== undefined) throw endedBy(this.over);
    const id = ++this.last;
    const answered = new Promise<unknown>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    const cancel = () => {
      this.tell("notifications/cancelled", { requestId: id });
      this.waiting.get(id)?.reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    this.send({ id, method, params });
    try {
      return (await answered) as R;
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.waiting.delete(id);
    }
  }

  tell(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  close(): void {
    this.child.kill();
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  private hear(line: string): void {
    const { id, method, result, error } = parsed(line);
    if (method === "notifications/tools/list_changed") this.listener.changed();
    else if (id === undefined) return;
    else if (method !== undefined) this.answer(id, method);
    else if (error) this.waiting.get(id)?.reject(new Error(error.message));
    else this.waiting.get(id)?.resolve(result);
  }

  /** The server asks, too. This client offers nothing that it could ask for. */
  private answer(id: number, method: string): void {
    this.send(method === "ping" ? { id, result: {} } : { id, error: { code: -32601, message: "Method not found" } });
  }

  private end(how: string): void {
    if (this.over !== undefined) return;
    this.over = how;
    for (const { reject } of this.waiting.values()) reject(endedBy(how));
    this.listener.ended(how);
  }
}

function endedBy(how: string): Error {
  return new Error(`the MCP server has ended (${how})`);
}

/** The message on a line. Servers should not print anything else, but some do. */
function parsed(line: string): Message {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
