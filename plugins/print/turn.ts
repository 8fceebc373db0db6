import type { Invocation } from "@scorel/cli/contract";
import { openSession } from "@scorel/host/client";
import { sessionChoice } from "@scorel/host/command-line";
import type { Client, Delivered, HostService, KnownSessionOptions, SessionOption } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { continued, lineOf } from "@scorel/kit/text/one-line";
import { onAbort } from "@scorel/kit/values/abort";
import { clientName } from "@scorel/kit/values/client-name";
import { Backlog } from "./backlog.ts";
import { commandIn } from "./command.ts";
import { answerCommand, converse, type Opened, send } from "./conversation.ts";
import { type Cuts, watchCuts } from "./cut.ts";
import { errors } from "./errors.ts";
import { createFormat, type Format, outcomeOfError, type Printed } from "./formats.ts";
import { interruptOfUser } from "./interrupt.ts";
import { type Limits, readLimits } from "./limits.ts";
import { sessionOptions } from "./options.ts";
import { OwnAnswer } from "./own-answer.ts";
import { createProgress } from "./progress.ts";
import { type Prompt, readPrompt } from "./prompt.ts";
import type { AnswerSchema } from "./schema.ts";

const UNPRICED =
  "The price of this model is not known, so --max-cost does not limit this run. Set `cost` in [model], or use --max-rounds or --timeout.";

const EXIT = { completed: 0, error: 1, cancelled: 130 } as const;
/** Codes of errors about a session that ended with its host. */
const GONE = ["HOST_STOPPED", "SESSION_UNKNOWN"];
const CUT = "The answer is cut: it reached the model's output limit. Raise maxTokens in [model] for longer ones.";

const EMPTY = "The model's reply is empty. Ask again, or choose another model with --model.";

interface Around {
  /** Tells the user which files of a directory's project are not used, because it is not trusted. */
  tell(cwd: string): Promise<void> | undefined;
  /** The command that continues a session. */
  comeBack(sessionId: string): string;
}

/** Runs `scorel -p`: one prompt, one answer. Returns the exit code. Throws when a turn cannot start. */
export async function run(
  host: HostService,
  options: KnownSessionOptions,
  given: Invocation,
  around: Around,
): Promise<number> {
  const invocation = { ...given, interrupt: interruptOfUser(given.interrupt) };
  const format = createFormat(invocation.options.output, invocation);
  const client = host.connect({ name: "print" });
  try {
    const printed = await answer(client, invocation, format, { known: sessionOptions(options), around });
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
  { known, around }: { known: readonly SessionOption[]; around: Around },
): Promise<Printed | undefined> {
  const { options, cwd, interrupt } = invocation;
  refuseChatOnly(invocation);
  refuseTwoSessions(options);
  const limits = readLimits(invocation);
  const schema = await schemaOf(invocation);
  const prompt = await promptWithin(limits, invocation, schema);
  if (prompt === undefined) return undefined;
  const status = await openSession(client, sessionChoice(cwd, options, known));
  await around.tell(cwd);
  const progress = createProgress(invocation, client.clientId);
  await progress.opened(status);
  const cuts = watchCuts(client, { interrupt, limits }, (text) => void progress.say(text));
  const opened = {
    client,
    status,
    limits,
    progress,
    interrupt,
    cuts,
    own: new OwnAnswer(),
    comeBack: around.comeBack(status.sessionId),
  };
  try {
    return await Promise.race([answerIn(opened, invocation, format, prompt, schema), cuts.leaving]);
  } finally {
    cuts.end();
  }
}

/** Reads the prompt, for which the time counts, too: a pipe may stay open. Undefined if the user interrupts that. Throws PRINT_TIMEOUT. */
async function promptWithin(
  limits: Limits,
  invocation: Invocation,
  schema: AnswerSchema | undefined,
): Promise<Prompt | undefined> {
  limits.start();
  const interrupt = AbortSignal.any([invocation.interrupt, limits.signal]);
  try {
    const prompt = await readPrompt({ ...invocation, interrupt }, schema?.instruction);
    if (prompt === undefined && limits.reached) throw limits.reached;
    return prompt;
  } finally {
    limits.stop();
  }
}

/** Answers the prompt in a session that is open. */
async function answerIn(
  opened: Opened,
  { options }: Invocation,
  format: Format,
  prompt: Prompt,
  schema: AnswerSchema | undefined,
): Promise<Printed | undefined> {
  const { client, status, limits, progress, interrupt, cuts, own } = opened;
  const { sessionId } = status;
  // Following a session announces this client to others. So a prompt that may be refused is sent before, and events are followed from then.
  // Piped input and the instruction of a schema do not count as arguments.
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
  limits.unpriced = () => void progress.say(UNPRICED);
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
  if (options.noSession !== true) onAbort(interrupt, () => void progress.say(interrupted(opened.comeBack)));
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
  const atWork = progress.hasLeftWork() ? await titlesOfWork(client, sessionId) : [];
  const left = await client.request("close_session", { sessionId });
  await progress.notices(left.notices);
  if (left.closed && atWork.length > 0) await progress.say(endedWork(atWork));
  await progress.reportDenied();
  await format.written?.();
  return printed;
}

function interrupted(command: string): string {
  return `Interrupted. To continue in this session: ${command}`;
}

/** The titles of the commands and subagents that run in the session's background. Closing the session ends them. */
async function titlesOfWork(client: Client, sessionId: string): Promise<string[]> {
  // A preset without slash commands has no such operation. The answer must be printed in any case.
  const { items } = await client.request("list_background", { sessionId }).catch(() => ({ items: [] }));
  return items.map(({ title }) => title);
}

function endedWork(titles: readonly string[]): string {
  const shown = titles.slice(0, 5).map(lineOf).join(", ");
  const more = titles.length > 5 ? ` and ${titles.length - 5} more` : "";
  return `warning: This run has ended, and with it what was running in the background: ${shown}${more}. To keep such work running, use a conversation.`;
}

/** Adds the reason if others have cut the answer off. If this command has cancelled it, the reason is there already. */
function explain(printed: Printed, cuts: Cuts): void {
  if (printed.failure) return;
  const reason = cuts.reasonOf(printed.outcome);
  if (reason) printed.failure = reason;
}

function refuseChatOnly({ args, options }: Invocation): void {
  if (args[0] !== undefined) throw errors.PRINT_TWO_PROMPTS({ prompt: args[0] });
  if (options.resume === true) throw errors.PRINT_CHAT_ONLY({ option: "--resume without a session" });
  if (options.watch === true) throw errors.PRINT_CHAT_ONLY({ option: "--watch" });
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

/** Returns the exit code. A closed stdout is not a failure, but a full disk is. */
async function exitCode(printed: Printed, { output }: Format, { stderr, interrupt }: Invocation): Promise<number> {
  const { outcome, failure = outcome.error } = printed;
  // Exit code 130 means that the user of this command has cancelled the turn.
  const isCutByOthers = outcome.reason === "cancelled" && failure !== undefined && !interrupt.aborted;
  const { exitCode: code = isCutByOthers ? EXIT.error : EXIT[outcome.reason] } = printed;
  const complaints = createOutput(stderr);
  if (failure && !printed.isSaid) await complaints.write(`${continued(failure.message)}\n`);
  else if (!failure && outcome.stopReason === "length") await complaints.write(`warning: ${CUT}\n`);
  else if (!failure && isEmptyReply(outcome)) await complaints.write(`warning: ${EMPTY}\n`);
  if (output.complaint === undefined) return code;
  await complaints.write(`${output.complaint}\n`);
  return code || 1;
}

/** Whether the model has answered without any text. The output of a slash command, which no model has written, may be empty. */
function isEmptyReply({ reason, stopReason, text, leafId }: Printed["outcome"]): boolean {
  return reason === "completed" && stopReason === "stop" && leafId !== null && text.trim() === "";
}
