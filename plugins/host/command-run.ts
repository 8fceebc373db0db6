import type { Invocation } from "@scorel/cli/contract";
import type { CommandResult } from "@scorel/commands/contract";
import { codeOf, displayText } from "@scorel/kernel";
import type {} from "@scorel/requests/contract";
import { createOutput, plainText } from "./client.ts";
import type { Client } from "./contract.ts";
import type { LocalHost } from "./host.ts";

/** `session run`: a slash command without a conversation around it. One that sends a message is waited for. */
export async function runCommand(host: LocalHost, invocation: Invocation): Promise<number> {
  const { args, options, interrupt, stdout, stderr } = invocation;
  const [sessionId = "", line = ""] = args;
  const [, name = "", rest = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const client = host.connect();
  const output = createOutput(stdout);
  try {
    const id = host.sessions.resolve(sessionId);
    await tellAsides(client, id, invocation);
    const result = await client.request("run_command", { sessionId: id, name, args: rest });
    const { failed, text } = await said(client, result.sessionId ?? id, result, interrupt);
    await client.drained(id);
    const told = options.output === "json" ? JSON.stringify({ ...result, ...(text !== undefined && { text }) }) : text;
    if (told !== undefined) await output.write(`${stdout.isTTY ? plainText(told) : told}\n`);
    if (failed !== undefined) stderr.write(`${failed}\n`);
    return failed === undefined && output.complaint === undefined ? 0 : 1;
  } finally {
    await client.close();
  }
}

/** What plugins tell whoever watches, and which of their questions had the default: nobody is asked here. */
async function tellAsides(client: Client, sessionId: string, { stderr }: Invocation): Promise<void> {
  await client.subscribe(sessionId, ({ event, display }) => {
    if (event.type === "notification" || event.type === "request_defaulted")
      stderr.write(`${plainText(displayText(display))}\n`);
  });
  try {
    await client.request("list_requests", { sessionId });
  } catch (thrown) {
    // A preset in which nobody asks or tells.
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
  }
}

/** What a person reads of a result: its output, what it would have put into the clipboard, or the answer of its turn. */
async function said(
  client: Client,
  sessionId: string,
  { output, copy, turn }: CommandResult,
  interrupt: AbortSignal,
): Promise<{ text?: string; failed?: string }> {
  if (turn === undefined) return { ...((copy ?? output) && { text: copy ?? output }) };
  const over = new AbortController();
  // A turn that cannot be cancelled is no longer waited for, and why is told.
  const refused = new Promise<never>((_, reject) => {
    const cancel = () => void client.request("cancel", { sessionId }).catch(reject);
    interrupt.addEventListener("abort", cancel, { once: true, signal: over.signal });
    if (interrupt.aborted) cancel();
  });
  try {
    const { text, error } = await Promise.race([client.request("wait_turn", { sessionId, id: turn }), refused]);
    return { text, ...(error && { failed: `${error.code}: ${error.message}` }) };
  } finally {
    over.abort();
  }
}
