import type { TurnOutcome } from "@scorel/agent/contract";
import { takeBackQueued } from "@scorel/host/client";
import type { Client, Operations, SessionStatus } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { linkedTo } from "@scorel/kit/values/abort";
import { runCommand, type Typed } from "./command.ts";
import type { Cuts } from "./cut.ts";
import { errors } from "./errors.ts";
import { outcomeOf, type Printed } from "./formats.ts";
import { joined } from "./joined.ts";
import type { Limits } from "./limits.ts";
import type { OwnAnswer } from "./own-answer.ts";
import type { Progress } from "./progress.ts";
import type { Prompt } from "./prompt.ts";
import { outcomeWithReports } from "./reports.ts";
import type { AnswerSchema } from "./schema.ts";

const EXIT_UNMET = 4;

type Sent = Operations["send_message"]["result"];

/** A run whose session is open. */
export interface Opened {
  client: Client;
  status: SessionStatus;
  limits: Limits;
  progress: Progress;
  interrupt: AbortSignal;
  cuts: Cuts;
  own: OwnAnswer;
  /** The command that continues the session. */
  comeBack: string;
}

/** State shared by the turns of one run. */
interface Run extends Opened {
  /** The answer to the prompt that was sent already. */
  sent: Sent | undefined;
  /** Whether a slash command has begun the turn. The host does not know the limits of such a turn. */
  isCommand?: boolean;
}

/** Runs one turn, and a second one when the answer does not match its schema. */
export async function converse(run: Run, prompt: Prompt, schema?: AnswerSchema): Promise<Printed> {
  const { limits, status } = run;
  limits.start();
  try {
    const first = await takeTurn(run, prompt, run.sent);
    const outcome = await outcomeWithReports(run, first, (id) => answerTo(run, id));
    if (!schema || outcome.reason !== "completed") return limited(outcome, limits);
    const checked = schema.check(outcome.text);
    if (checked.fits) return { outcome, data: checked.data };
    await run.client.drained(status.sessionId);
    limits.checkRound();
    if (limits.reached) return limited({ ...outcome, reason: "cancelled" }, limits);
    const { repairOf } = await import("./schema.ts");
    return judged(
      joined(outcome, await takeTurn(run, { content: repairOf(checked.reason), mentions: false })),
      schema,
      limits,
    );
  } finally {
    limits.stop();
  }
}

/** Runs a slash command, and waits for the turn if it begins one. */
export async function answerCommand(opened: Opened, command: Typed, prompt: Prompt): Promise<Printed> {
  const { client, status, limits, interrupt } = opened;
  limits.start();
  const cut = linkedTo(limits.signal, interrupt);
  try {
    const ran = await runCommand(client, status.sessionId, command, cut.signal).catch((thrown) => {
      if (!limits.reached) throw thrown;
      return { outcome: { ...outcomeOf(""), reason: "cancelled" as const, stopReason: "aborted" } };
    });
    if ("outcome" in ran) return limited(ran.outcome, limits);
    return await converse({ ...opened, sent: { id: ran.turn, status: "started" }, isCommand: true }, prompt);
  } finally {
    cut.end();
    limits.stop();
  }
}

function judged(outcome: TurnOutcome, schema: AnswerSchema, limits: Limits): Printed {
  if (outcome.reason !== "completed") return limited(outcome, limits);
  const checked = schema.check(outcome.text);
  if (checked.fits) return { outcome, data: checked.data };
  return { outcome, failure: errors.PRINT_SCHEMA_UNMET({ reason: checked.reason }), exitCode: EXIT_UNMET };
}

/** Adds the reached limit as the failure of a turn that was cancelled for it. A turn that ended by itself was not limited. */
function limited(outcome: TurnOutcome, { reached }: Limits): Printed {
  return reached && outcome.reason === "cancelled"
    ? { outcome, failure: reached, exitCode: reached.exit }
    : { outcome };
}

/** Sends a message and waits for its turn. */
async function takeTurn(run: Run, prompt: Prompt, sent?: Sent): Promise<TurnOutcome> {
  const { client, status, progress, own, limits } = run;
  const refuses = run.sent !== undefined;
  const { id, status: how } = sent ?? (await send(client, status.sessionId, prompt, { refuses, limits }));
  const isQueued = how === "queued";
  if (isQueued) await progress.queued();
  const answered = () => answerTo(run, id, isQueued);
  return own.in(await (sent && run.isCommand ? answered() : limits.whileHostLimits(answered)));
}

/** Waits for the turn that answers a message. An interrupt or limit cancels the turn. */
async function answerTo(run: Run, id: string, isQueued = false): Promise<TurnOutcome> {
  const { client, status, limits, interrupt } = run;
  const { sessionId } = status;
  const over = new AbortController();
  const refused = new Promise<never>((_, reject) => {
    const cancel = () => void withdraw(client, { sessionId, id, isQueued }).catch(reject);
    for (const signal of [interrupt, limits.signal]) {
      signal.addEventListener("abort", cancel, { once: true, signal: over.signal });
      if (signal.aborted) cancel();
    }
  });
  try {
    const outcome = await Promise.race([client.request("wait_turn", { sessionId, id }), refused]);
    await client.drained(sessionId);
    return outcome;
  } finally {
    over.abort();
  }
}

/** Sends the prompt. Throws PRINT_BUSY if the session is busy and the message should be refused then. */
export async function send(
  client: Client,
  sessionId: string,
  { content, mentions }: Prompt,
  { refuses, limits }: { refuses: boolean; limits: Limits },
): Promise<Sent> {
  const left = limits.left();
  try {
    return await client.request("send_message", {
      sessionId,
      content,
      ...(refuses && { running: "refuse" as const }),
      ...(!mentions && { mentions }),
      ...(left && { limits: left }),
    });
  } catch (thrown) {
    throw codeOf(thrown) === "AGENT_BUSY" ? errors.PRINT_BUSY({ sessionId }) : thrown;
  }
}

/** Takes back a message that waits for another client's turn to end, or cancels the turn that answers it. */
async function withdraw(
  client: Client,
  { sessionId, id, isQueued }: { sessionId: string; id: string; isQueued: boolean },
): Promise<void> {
  const taken = isQueued ? await takeBackQueued(client, sessionId, (item) => item.id === id) : [];
  if (taken.length > 0) return;
  await client.request("cancel", { sessionId });
}
