import type { Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { errors } from "../errors.ts";
import type { Program, ServerProcess, ServerProcesses } from "./processes.ts";

/** Most bytes of one message. The transport of the SDK allows 10 MB, and does not end processes that a server has started. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_LEVELS = 100;
/** Characters of the standard error that are kept for the message about a server that has ended. */
const KEPT_STDERR = 8_000;
/** Milliseconds that output may take to arrive after the process has ended. */
const OUTPUT_GRACE_MS = 100;

/** Transport over the standard streams of a program, with one message per line. Other lines that it prints are ignored. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** How the process has ended; undefined while it runs. */
  how: string | undefined;
  private readonly program: Program;
  private readonly processes: ServerProcesses;
  private running: ServerProcess | undefined;
  private parts: Buffer[] = [];
  private size = 0;
  private isClosed = false;
  private said = "";
  private isSaidCut = false;

  constructor(program: Program, processes: ServerProcesses) {
    this.program = program;
    this.processes = processes;
  }

  async start(): Promise<void> {
    const running = await this.processes.start(this.program);
    this.running = running;
    const { child } = running;
    child.stdout.on("data", (chunk: Buffer) => this.read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      const said = this.said + text;
      this.isSaidCut ||= said.length > KEPT_STDERR;
      this.said = said.slice(-KEPT_STDERR);
    });
    // Ignores errors of writing to a process that has ended; its end is reported below.
    child.stdin.on("error", () => {});
    child.once("exit", (code, signal) => {
      this.how ??= signal ?? `exit code ${code}`;
      // Processes that it has started may keep the pipe open.
      setTimeout(() => void this.close(), OUTPUT_GRACE_MS);
    });
    child.once("close", () => void this.close());
    if (this.isClosed) await running.end();
  }

  /** The end of its standard error. It begins with a whole word, since the rest of a secret would not be recognized as one. */
  get stderr(): string {
    return this.isSaidCut ? this.said.replace(/^\S+/, "") : this.said;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { child } = this.running ?? {};
    if (!child || this.isClosed) throw new Error(`it has ended${this.how === undefined ? "" : ` (${this.how})`}`);
    if (!child.stdin.write(`${JSON.stringify(message)}\n`)) await drained(child.stdin);
  }

  async close(): Promise<void> {
    const isFirst = !this.isClosed;
    this.isClosed = true;
    this.parts = [];
    // Waiting calls fail at once, and not only when all processes have ended.
    if (isFirst) this.onclose?.();
    await this.running?.end();
  }

  private read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0 && !this.isClosed; at = chunk.indexOf("\n", from)) {
      const line = Buffer.concat([...this.parts, chunk.subarray(from, at)]).toString("utf8");
      from = at + 1;
      this.parts = [];
      this.size = 0;
      this.take(line);
    }
    if (this.isClosed) return;
    this.size += chunk.length - from;
    if (this.size > MOST_BYTES) this.breakOff(errors.MCP_MESSAGE_SIZE({ megabytes: MOST_BYTES / 1024 / 1024 }).message);
    else if (from < chunk.length) this.parts.push(chunk.subarray(from));
  }

  private take(line: string): void {
    if (!line.startsWith("{")) return;
    if (isDeeper(line, MOST_LEVELS)) {
      this.breakOff("it sent a message that is nested too deeply");
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return; // Some servers print other lines, too.
    }
    if ((message as { jsonrpc?: unknown }).jsonrpc === "2.0") this.onmessage?.(message as JSONRPCMessage);
  }

  private breakOff(how: string): void {
    this.how = how;
    void this.close();
  }
}

/** Waits until a stream takes more, or is closed. */
function drained(stream: Writable): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done);
      resolve();
    };
    stream.on("drain", done).on("close", done);
  });
}
