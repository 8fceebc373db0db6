import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import { openSession, sessionChoice, takeBackQueued } from "@scorel/host/client";
import type {
  Client,
  Delivered,
  HostService,
  KnownSessionOptions,
  Operations,
  SessionOption,
  SessionStatus,
} from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { continued } from "@scorel/kit/text/one-line";
import { clientName } from "@scorel/kit/values/client-name";
import { Backlog } from "./backlog.ts";
import { commandIn, runCommand, type Typed } from "./command.ts";
import { type Cuts, watchCuts } from "./cut.ts";
import { errors } from "./errors.ts";
import { createFormat, type Format, outcomeOfError, type Printed } from "./formats.ts";
import { joined } from "./joined.ts";
import { type Limits, readLimits } from "./limits.ts";
import { sessionOptions } from "./options.ts";
import { OwnAnswer } from "./own-answer.ts";
import { createProgress, type Progress } from "./progress.ts";
import { type Prompt, readPrompt } from "./prompt.ts";
import { outcomeWithReports } from "./reports.ts";
import type { AnswerSchema } from "./schema.ts";

const EXIT = { completed: 0, error: 1, cancelled: 130 } as const;
const EXIT_LIMIT = 3;
const EXIT_UNMET = 4;
const GONE = ["HOST_STOPPED", "SESSION_UNKNOWN"];
const CUT = "The answer is cut: it reached the model's output limit. Raise maxTokens in [model] for longer ones.";

/** Tells the user which files of a directory's project are not used, because it is not trusted. */
type Tell = (cwd: string) => Promise<void> | undefined;

/** Runs `scorel -p`: one prompt, one answer. Returns the exit code. Throws when a turn cannot start. */
export async function run(
  host: HostService,
  options: KnownSessionOptions,
  invocation: Invocation,
  tell: Tell = () => undefined,
): Promise<number> {
  const format = createFormat(invocation.options.output, invocation);
  const client = host.connect({ name: "print" });
  try {
    const printed = await answer(client, invocation, format, { known: sessionOptions(options), tell });
    return printed ? await exitCode(printed, format, invocation) : EXIT.cancelled;
  } catch (thrown) {
    // A signal has stopped the process, which sets its own exit code. Nothing is left to print. An unsaved session is then unknown.
    if (invocation.interrupt.aborted && GONE.includes(codeOf(thrown))) return EXIT.cancelled;
    if (invocation.options.output === "json")
      await format.finish(null, { outcome: outcomeOfError({ code: codeOf(thrown), message: messageOf(thrown) }) });
    throw thrown;
  } finally {
    await client.close();
    await format.written?.();
  }
}

/** Answers the prompt; undefined when interrupted before a turn began. */
async function answer(
  client: Client,
  invocation: Invocation,
  format: Format,
  { known, tell }: { known: readonly SessionOption[]; tell: Tell },
): Promise<Printed | undefined> {
  const { options, cwd, interrupt } = invocation;
  refuseTwoSessions(options);
  const limits = readLimits(invocation);
  const schema = await schemaOf(invocation);
  const prompt = await readPrompt(invocation, schema?.instruction);
  if (prompt === undefined) return undefined;
  const status = await openSession(client, sessionChoice(cwd, options, known));
  await tell(cwd);
  const progress = createProgress(invocation, client.clientId);
  await progress.opened(status);
  const cuts = watchCuts(client, interrupt, (text) => void progress.say(text));
  const opened = { client, status, format, limits, progress, interrupt, cuts, own: new OwnAnswer() };
  try {
    return await Promise.race([answerIn(opened, invocation, prompt, schema), cuts.leaving]);
  } finally {
    cuts.end();
  }
}

/** Answers the prompt in a session that is open. */
async function answerIn(
  opened: Opened,
  { options }: Invocation,
  prompt: Prompt,
  schema: AnswerSchema | undefined,
): Promise<Printed | undefined> {
  const { client, status, format, limits, progress, interrupt, cuts, own } = opened;
  const { sessionId } = status;
  // Following a session announces this client to others. So a prompt that may be refused is sent before, and events are followed from then.
  // Piped input and the instruction of a schema are no arguments.
  const isWhole = prompt.content === options.print;
  const command = isWhole ? await commandIn(client, sessionId, prompt.content as string, progress.say) : undefined;
  const isAlone = options.ifBusy === "refuse";
  const sent = isAlone && !command ? await send(client, sessionId, prompt, { refuses: true, limits }) : undefined;
  const { anchor } = status;
  // The reports of subagents belong to the work on the prompt.
  const isMine = (clientId: string) => clientId === client.clientId || clientName(clientId) === "subagent";
  const backlog = new Backlog((delivered) => {
    const told = progress.hear(delivered);
    return told ? told.then(() => format.hear?.(delivered)) : format.hear?.(delivered);
  });
  // A slow reader of the output does not delay the limits. The backlog is limited by the model's output.
  const hear = (delivered: Delivered) => {
    own.hear(delivered, isMine);
    limits.hear(delivered, "clientId" in delivered.event && isMine(delivered.event.clientId));
    cuts.hear(delivered);
    backlog.take(delivered);
  };
  // Programs get all events, however slowly they read.
  const joined = options.output !== "events";
  await client.subscribe(sessionId, hear, { capacity: Number.POSITIVE_INFINITY, joined, ...(sent && { anchor }) });
  if (interrupt.aborted && !sent) return undefined;
  const printed = await (command
    ? answerCommand(opened, command, prompt)
    : converse({ ...opened, sent }, prompt, schema)
  ).finally(() => cuts.end());
  await backlog.done();
  explain(printed, cuts);
  await format.finish(sessionId, printed);
  printed.isSaid = progress.hasSaid((printed.failure ?? printed.outcome.error)?.message ?? "");
  const { notices } = await client.request("get_status", { sessionId });
  await progress.notices(notices);
  await progress.notices((await client.request("close_session", { sessionId })).notices);
  await progress.reportDenied();
  await format.written?.();
  return printed;
}

/** Adds the reason if others have cut the answer off. If this command has cancelled it, the reason is there already. */
function explain(printed: Printed, cuts: Cuts): void {
  if (printed.failure) return;
  const reason = cuts.reasonOf(printed.outcome);
  if (reason) printed.failure = reason;
}

type Sent = Operations["send_message"]["result"];

/** A run whose session is open. */
interface Opened {
  client: Client;
  status: SessionStatus;
  format: Format;
  limits: Limits;
  progress: Progress;
  interrupt: AbortSignal;
  cuts: Cuts;
  own: OwnAnswer;
}

/** State shared by the turns of one run. */
interface Run extends Opened {
  /** The answer to the prompt that was sent already. */
  sent: Sent | undefined;
  /** Whether a slash command has begun the turn. The host does not know the limits of such a turn. */
  isCommand?: boolean;
}

function refuseTwoSessions(options: Record<string, unknown>): void {
  const given = ["session", "continue", "resume", "fork"].filter((key) => options[key] !== undefined);
  // A copy may be kept in memory, but not a stored session.
  if (options.noSession && options.fork === undefined) given.push("no-session");
  if (given.length > 1) throw errors.PRINT_TWO_SESSIONS({ options: given.map((name) => `--${name}`) });
}

async function schemaOf({ options, cwd }: Invocation): Promise<AnswerSchema | undefined> {
  if (options.outputSchema === undefined) return undefined;
  const { readSchema } = await import("./schema.ts");
  return readSchema(options.outputSchema as string, cwd);
}

/** Runs one turn, and a second one when the answer does not match its schema. */
async function converse(run: Run, prompt: Prompt, schema?: AnswerSchema): Promise<Printed> {
  const { limits, status } = run;
  limits.start();
  try {
    const first = await takeTurn(run, prompt, run.sent);
    const outcome = await outcomeWithReports(run, first, (id) => answerTo(run, id));
    if (!schema || outcome.reason !== "completed") return limited(outcome, limits);
    const checked = schema.check(outcome.text);
    if (checked.fits) return { outcome, data: checked.data };
    await run.client.drained(status.sessionId);
    if (!limits.allowsMore()) return limited({ ...outcome, reason: "cancelled" }, limits);
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
async function answerCommand(opened: Opened, command: Typed, prompt: Prompt): Promise<Printed> {
  const { client, status } = opened;
  const ran = await runCommand(client, status.sessionId, command);
  if ("outcome" in ran) return ran;
  return converse({ ...opened, sent: { id: ran.turn, status: "started" }, isCommand: true }, prompt);
}

function judged(outcome: TurnOutcome, schema: AnswerSchema, limits: Limits): Printed {
  if (outcome.reason !== "completed") return limited(outcome, limits);
  const checked = schema.check(outcome.text);
  if (checked.fits) return { outcome, data: checked.data };
  return { outcome, failure: errors.PRINT_SCHEMA_UNMET({ reason: checked.reason }), exitCode: EXIT_UNMET };
}

/** Adds the reached limit as the failure of a turn that was cancelled for it. A turn that ended by itself was not limited. */
function limited(outcome: TurnOutcome, { reached }: Limits): Printed {
  return reached && outcome.reason === "cancelled" ? { outcome, failure: reached, exitCode: EXIT_LIMIT } : { outcome };
}

/** Sends a message and waits for its turn. */
async function takeTurn(run: Run, prompt: Prompt, sent?: Sent): Promise<TurnOutcome> {
  const { client, status, progress, own, limits } = run;
  const refuses = run.sent !== undefined;
  const { id, status: how } = sent ?? (await send(client, status.sessionId, prompt, { refuses, limits }));
  const isQueued = how === "queued";
  if (isQueued) await progress.queued();
  const answered = () => answerTo(run, id, isQueued);
  return own.in(await (sent && run.isCommand ? answered() : limits.keptIn(answered)));
}

/** Waits for the turn that answers a message. An interrupt or limit cancels the turn, a closed stdout does not. */
async function answerTo(run: Run, id: string, isQueued = false): Promise<TurnOutcome> {
  const { client, status, format, limits, interrupt } = run;
  const { sessionId } = status;
  const over = new AbortController();
  const refused = new Promise<never>((_, reject) => {
    const cancel = () => void withdraw(client, { sessionId, id, isQueued }).catch(reject);
    const interrupted = () => format.output.failure ?? cancel();
    for (const [signal, work] of [
      [interrupt, interrupted],
      [limits.signal, cancel],
    ] as const) {
      signal.addEventListener("abort", work, { once: true, signal: over.signal });
      if (signal.aborted) work();
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

async function send(
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

/** Returns the exit code. A closed stdout is not a failure, but a full disk is. */
async function exitCode(printed: Printed, { output }: Format, { stderr, interrupt }: Invocation): Promise<number> {
  const { outcome, failure = outcome.error } = printed;
  // Exit code 130 means that the user of this command has cancelled the turn.
  const isCutByOthers = outcome.reason === "cancelled" && failure !== undefined && !interrupt.aborted;
  const { exitCode: code = isCutByOthers ? EXIT.error : EXIT[outcome.reason] } = printed;
  const complaints = createOutput(stderr);
  if (failure && !printed.isSaid) await complaints.write(`${continued(failure.message)}\n`);
  else if (!failure && outcome.stopReason === "length") await complaints.write(`warning: ${CUT}\n`);
  if (output.complaint === undefined) return code;
  await complaints.write(`${output.complaint}\n`);
  return code || 1;
}
