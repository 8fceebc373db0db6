import { on } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { CliCommand, Invocation } from "@scorel/cli/contract";
import type { HostService, SessionLogs } from "@scorel/host/contract";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";

const NEWLINE = 10;

/** Creates the command `scorel logs <id>`, which shows the readable log of a session. */
export function logCommands(host: HostService, { sessionsDir }: SessionLogs): CliCommand[] {
  return [
    {
      noun: "logs",
      args: "<id>",
      completes: "session",
      description: "Show a session's log of turns, retries and failures, without its messages",
      options: [
        { flags: "--tail <n>", description: "Only the last n lines" },
        { flags: "--follow", description: "Keep printing new lines until interrupted" },
      ],
      run: (invocation) => logs(host, sessionsDir, invocation),
    },
  ];
}

async function logs(host: HostService, sessionsDir: string, invocation: Invocation): Promise<number> {
  const count = lineCount(invocation.options.tail);
  const client = host.connect();
  try {
    const { sessionId } = await client.request("resolve_session", { sessionId: invocation.args[0] as string });
    const path = join(sessionsDir, `${sessionId}.log`);
    const output = createOutput(invocation.stdout);
    if (invocation.options.follow) return await follow(path, count, output, invocation.interrupt);
    if (!existsSync(path)) invocation.stderr.write(`Session ${sessionId} has no such lines yet.\n`);
    else await output.write(lastLines(readFileSync(path, "utf8"), count));
    return output.complaint === undefined ? 0 : 1;
  } finally {
    await client.close();
  }
}

function lineCount(given: unknown): number {
  if (given === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(String(given))) throw errors.INSPECT_TAIL({ given: String(given) });
  return Number(given);
}

function lastLines(text: string, count: number): string {
  const lines = text.split("\n").slice(0, -1);
  const kept = count === Number.POSITIVE_INFINITY ? lines : lines.slice(lines.length - Math.min(count, lines.length));
  return plainText(kept.map((line) => `${line}\n`).join(""));
}

/** Prints added lines until the reader leaves or interrupts. Starts over when the file was rotated. */
async function follow(path: string, count: number, output: Output, interrupt: AbortSignal): Promise<number> {
  // Watch the directory, since the file may not exist yet, and before the first read, so that no change is missed.
  const watcher = watch(dirname(path));
  const changes = on(watcher, "change", { signal: interrupt });
  try {
    let shown = await showFrom(path, 0, count, output);
    for await (const [, name] of changes) {
      if (output.failure) break;
      if (name === basename(path)) shown = await showFrom(path, shown, Number.POSITIVE_INFINITY, output);
    }
  } catch (thrown) {
    if (!interrupt.aborted) throw thrown;
  } finally {
    watcher.close();
  }
  return output.complaint === undefined ? 0 : 1;
}

/** Prints the complete lines after `shown` bytes. Returns where they end. */
async function showFrom(path: string, shown: number, count: number, output: Output): Promise<number> {
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  await output.write(lastLines(bytes.toString("utf8", end < shown ? 0 : shown, end), count));
  return end;
}
