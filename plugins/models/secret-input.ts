import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { errors } from "./errors.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

/** Reads a secret: typed without echo, or piped; undefined after Ctrl-D. Throws MODELS_LOGIN_CANCELLED after Ctrl-C. */
export function readSecret(question: string, streams: Streams): Promise<string | undefined> {
  return streams.stdin.isTTY === true ? typed(question, streams) : piped(streams);
}

async function piped({ stdin }: Streams): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as Buffer | string));
  return Buffer.concat(pieces)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Reads a line in raw mode without echo, by sending readline's output nowhere. */
function typed(question: string, { stdin, stdout, interrupt }: Streams): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  stdout.write(question);
  return new Promise((resolve, reject) => {
    let answer: string | undefined;
    let isCancelled = false;
    const leave = () => {
      isCancelled = true;
      lines.close();
    };
    lines.on("line", (line) => {
      answer = line.trim();
      lines.close();
    });
    lines.on("SIGINT", leave);
    // Readline pauses input for Ctrl-Z and does not resume it. The shell has written below the question since.
    lines.on("SIGCONT", () => {
      stdout.write(question);
      lines.resume();
    });
    interrupt.addEventListener("abort", leave, { once: true });
    lines.on("close", () => {
      interrupt.removeEventListener("abort", leave);
      stdout.write("\n");
      if (isCancelled) reject(errors.MODELS_LOGIN_CANCELLED());
      else resolve(answer);
    });
  });
}
