import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Request {
  do: string;
  [key: string]: unknown;
}
interface Message {
  /** The request that it answers, or the process that it is about. */
  id: number;
  answer?: unknown;
  error?: { code: string; message: string; path?: string };
  output?: string;
  end?: unknown;
}
/** Callbacks for the events of a started process. */
export interface Listener {
  output(bytes: Uint8Array): void;
  end(end: unknown): void;
  lost(reason: Error): void;
}
interface Waiting {
  resolve(answer: unknown): void;
  reject(reason: Error): void;
}

/** Lines of JSON to a program and from it. The program is started with the first request, and again after it has ended. */
export class Connection {
  private readonly command: readonly [string, ...string[]];
  private readonly env: Readonly<Record<string, string>>;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Map<number, Listener>();
  private child: ChildProcess | undefined;
  private last = 0;

  constructor(command: readonly [string, ...string[]], env: Readonly<Record<string, string>>) {
    this.command = command;
    this.env = env;
  }

  async request(
    request: Request,
    { signal, listener }: { signal?: AbortSignal; listener?: Listener } = {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const id = ++this.last;
    const child = this.open();
    if (listener) this.listeners.set(id, listener);
    let over = () => {};
    const answered = new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      over = () => reject(signal?.reason);
    });
    signal?.addEventListener("abort", over, { once: true });
    child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    try {
      return await answered;
    } finally {
      signal?.removeEventListener("abort", over);
      this.waiting.delete(id);
    }
  }

  /** The other end ends its processes when its input ends. */
  close(): void {
    this.child?.stdin?.end();
  }

  private open(): ChildProcess {
    if (this.child) return this.child;
    const [file, ...args] = this.command;
    const child = spawn(file, args, { env: this.env, stdio: ["pipe", "pipe", "ignore"] });
    this.child = child;
    child.stdin?.on("error", () => {}); // It has ended, which is told below.
    child.once("error", ({ message }) => this.lose(child, message));
    child.once("close", (code, signal) => this.lose(child, signal ?? `exit code ${code}`));
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => this.hear(line));
    return child;
  }

  private hear(line: string): void {
    const { id, answer, error, output, end } = JSON.parse(line) as Message;
    const listener = this.listeners.get(id);
    if (output !== undefined) listener?.output(Buffer.from(output, "base64"));
    if (end !== undefined) {
      this.listeners.delete(id);
      listener?.end(end);
    }
    if (output !== undefined || end !== undefined) return;
    const waiting = this.waiting.get(id);
    if (error) waiting?.reject(Object.assign(new Error(error.message), error));
    else waiting?.resolve(answer);
  }

  private lose(child: ChildProcess, why: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    const message = `the connection to where the tools work has ended (${why}); the next call connects again`;
    const lost = Object.assign(new Error(message), { code: "CONNECTION_LOST" });
    for (const { reject } of this.waiting.values()) reject(lost);
    for (const listener of this.listeners.values()) listener.lost(lost);
    this.waiting.clear();
    this.listeners.clear();
  }
}
