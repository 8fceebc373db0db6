import type { Invocation } from "@scorel/cli/contract";
import type { Client, HostService } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { widthIn } from "@scorel/kit/terminal/size";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";

/** The context of a history command: the host, its arguments and output. */
export interface CommandContext {
  request: Client["request"];
  args: readonly string[];
  options: Readonly<Record<string, unknown>>;
  /** Width of the terminal in columns; undefined without one. */
  width: number | undefined;
  /** Aborts with the first Ctrl-C. */
  interrupt: AbortSignal;
  say(text: string): Promise<void>;
  /** Throws HISTORY_UNCONFIRMED unless the user confirms in a terminal or passed `--yes`. */
  confirm(question: string, what: string): Promise<void>;
}

/** Runs a command as a client of the host and closes the client afterwards. Returns the exit code. */
export async function withClient(
  host: HostService | undefined,
  invocation: Invocation,
  action: (context: CommandContext) => Promise<void>,
): Promise<number> {
  if (!host) throw errors.HISTORY_NO_HOST();
  const client = host.connect();
  const { stdout, stderr } = invocation;
  const output = createOutput(stdout);
  try {
    await action({
      request: client.request,
      args: invocation.args,
      options: invocation.options,
      width: widthIn(stdout, invocation.env),
      interrupt: invocation.interrupt,
      say: (text) => output.write(stdout.isTTY ? plainText(text) : text),
      confirm: (question, what) => confirm(question, what, invocation),
    });
  } catch (thrown) {
    // Errors after Ctrl-C are printed but do not count as a failure.
    if (!invocation.interrupt.aborted) throw thrown;
    stderr.write(`scorel: ${messageOf(thrown)}\n`);
  } finally {
    await client.close();
  }
  if (output.complaint !== undefined) stderr.write(`${output.complaint}\n`);
  if (invocation.interrupt.aborted) return 130;
  return output.complaint === undefined ? 0 : 1;
}

async function confirm(question: string, what: string, { options, ...streams }: Invocation): Promise<void> {
  if (options.yes === true) return;
  const { agrees } = await import("@scorel/kit/terminal/answer");
  if (streams.stdin.isTTY !== true || !(await agrees(`${question} [y/N] `, streams)))
    throw errors.HISTORY_UNCONFIRMED({ what });
}
