import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import { createOutput, openSession } from "@scorel/host/client";
import type { Client, HostService, SessionStatus } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { createFormat, type Format, outcomeOfError } from "./formats.ts";
import { createProgress } from "./progress.ts";
import { readPrompt } from "./prompt.ts";

const EXIT = { completed: 0, error: 1, cancelled: 130 } as const;

/** `scorel -p`: one prompt, one turn, an exit code. Throws what keeps a turn from starting. */
export async function run(host: HostService, invocation: Invocation): Promise<number> {
  const format = createFormat(invocation.options.output, invocation);
  const client = host.connect();
  try {
    const outcome = await takeTurn(client, invocation, format);
    return outcome ? await exitCode(outcome, format, invocation) : EXIT.cancelled;
  } catch (thrown) {
    if (invocation.options.output === "json")
      await format.finish(null, outcomeOfError({ code: codeOf(thrown), message: messageOf(thrown) }));
    throw thrown;
  } finally {
    await client.close();
  }
}

/** Undefined when interrupted before the turn began. */
async function takeTurn(client: Client, invocation: Invocation, format: Format): Promise<TurnOutcome | undefined> {
  const { options, cwd, interrupt } = invocation;
  if (options.session !== undefined && options.continue) throw errors.PRINT_TWO_SESSIONS();
  const content = await readPrompt(invocation);
  if (content === undefined) return undefined;
  const { session, continue: latest, model, allowWrite } = options as Options;
  const status = await openSession(client, { cwd, session, latest, model, allowWrite });
  const { sessionId } = status;
  const progress = createProgress(invocation);
  await progress.opened(status);
  await client.subscribe(sessionId, async (delivered) => {
    await progress.hear(delivered);
    await format.hear?.(delivered);
  });
  if (interrupt.aborted) return undefined;
  const { id } = await client.request("send_message", { sessionId, content });
  const outcome = await cancellable(client, { sessionId, id }, format, interrupt);
  await client.drained(sessionId);
  await format.finish(sessionId, outcome);
  const { notices } = await client.request("get_status", { sessionId });
  await progress.notices(notices);
  await progress.notices((await client.request("close_session", { sessionId })).notices);
  return outcome;
}

interface Options {
  session?: string;
  continue?: boolean;
  model?: string;
  allowWrite?: string[];
}

/** Waits for the turn. An interrupt cancels it, and what had arrived is kept; a reader that went away is none. */
async function cancellable(
  client: Client,
  turn: { sessionId: SessionStatus["sessionId"]; id: string },
  { output }: Format,
  interrupt: AbortSignal,
): Promise<TurnOutcome> {
  let cancel = () => {};
  const refused = new Promise<never>((_, reject) => {
    cancel = () => {
      if (!output.failure) client.request("cancel", turn).catch(reject);
    };
  });
  interrupt.addEventListener("abort", cancel, { once: true });
  try {
    if (interrupt.aborted) cancel();
    return await Promise.race([client.request("wait_turn", turn), refused]);
  } finally {
    interrupt.removeEventListener("abort", cancel);
  }
}

/** A reader of stdout that went away is no failure; a full disk under it is. */
async function exitCode({ reason, error }: TurnOutcome, { output }: Format, { stderr }: Invocation): Promise<number> {
  const complaints = createOutput(stderr);
  if (error) await complaints.write(`${error.code}: ${error.message}\n`);
  if (output.complaint === undefined) return EXIT[reason];
  await complaints.write(`${output.complaint}\n`);
  return EXIT[reason] || 1;
}
