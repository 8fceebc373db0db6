import type { Invocation } from "@scorel/cli/contract";
import { codeOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { displayText } from "@scorel/kit/text/display";
import { plainText } from "@scorel/kit/text/plain";
import type { Client, CommandResult, HostService } from "../contract.ts";

type Asked = Pick<CommandResult, "output" | "copy" | "turn" | "sessionId">;

/** Runs `session run`: one slash command without a chat. Waits for the turn if the command starts one. */
export function runCommand(host: HostService, invocation: Invocation): Promise<number> {
  const [, line = ""] = invocation.args;
  const [, name = "", args = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  return withSession(host, invocation, (client, sessionId) => client.request("run_command", { sessionId, name, args }));
}

/** Runs `session queue --run`: starts a turn with the queued messages and prints the answer. */
export function runQueue(host: HostService, invocation: Invocation): Promise<number> {
  return withSession(host, invocation, async (client, sessionId) => {
    const { status, id } = await client.request("run_queue", { sessionId });
    if (id !== undefined) return { status, turn: id };
    return {
      status,
      output: status === "empty" ? "The queue is empty." : "The running turn will take the queued messages.",
    };
  });
}

/** Makes a request in a session without a chat and prints the result. Returns the exit code. */
async function withSession<R extends Asked>(
  host: HostService,
  invocation: Invocation,
  ask: (client: Client, sessionId: string) => Promise<R>,
): Promise<number> {
  const { args, options, interrupt, stdout, stderr } = invocation;
  const [sessionId = ""] = args;
  const client = host.connect();
  const output = createOutput(stdout);
  try {
    const { sessionId: id } = await client.request("load_session", { sessionId });
    await printNotifications(client, id, invocation);
    const result = await ask(client, id);
    const { failed, text } = await resultText(client, result.sessionId ?? id, result, interrupt);
    await client.drained(id);
    const told =
      options.output === "json"
        ? JSON.stringify({ ...result, ...(text !== undefined && { text }) })
        : `${text ?? ""}${resumeHint(id, result)}` || undefined;
    if (told !== undefined) await output.write(`${stdout.isTTY ? plainText(told) : told}\n`);
    if (failed !== undefined) stderr.write(`${failed}\n`);
    return failed === undefined && output.complaint === undefined ? 0 : 1;
  } finally {
    await client.close();
  }
}

/** Prints notifications, and questions that got their default answer because they cannot be answered here. */
async function printNotifications(client: Client, sessionId: string, { stderr }: Invocation): Promise<void> {
  await client.subscribe(
    sessionId,
    ({ event, display }) => {
      if (event.type === "notification" || event.type === "request_defaulted")
        stderr.write(`${plainText(displayText(display))}\n`);
    },
    { joined: true },
  );
  try {
    await client.request("list_requests", { sessionId });
  } catch (thrown) {
    // No plugin that asks questions is loaded.
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
  }
}

/** A hint how to open the session that the command led to, since it is not shown here. Empty if it is the same session. */
function resumeHint(sessionId: string, result: Asked): string {
  const isOther = result.sessionId !== undefined && result.sessionId !== sessionId;
  return isOther ? `\nTo continue in it: scorel --session ${result.sessionId}` : "";
}

/** Returns what to print: the output, the text meant for the clipboard, or the answer of the turn. */
async function resultText(
  client: Client,
  sessionId: string,
  { output, copy, turn }: Asked,
  interrupt: AbortSignal,
): Promise<{ text?: string; failed?: string }> {
  if (turn === undefined) return { ...((copy ?? output) && { text: copy ?? output }) };
  const over = new AbortController();
  // If the turn cannot be cancelled, stop waiting and report why.
  const refused = new Promise<never>((_, reject) => {
    const cancel = () => void client.request("cancel", { sessionId }).catch(reject);
    interrupt.addEventListener("abort", cancel, { once: true, signal: over.signal });
    if (interrupt.aborted) cancel();
  });
  try {
    const { text, error } = await Promise.race([client.request("wait_turn", { sessionId, id: turn }), refused]);
    return { text, ...(error && { failed: error.message }) };
  } finally {
    over.abort();
  }
}
