import type { Invocation } from "@scorel/cli/contract";
import { ALL_RIGHTS, openSession, rightsOf } from "@scorel/host/client";
import { sessionChoice } from "@scorel/host/command-line";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";
import type { PluginContext } from "@scorel/kernel";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { widthIn } from "@scorel/kit/terminal/size";
import { lineOf } from "@scorel/kit/text/one-line";
import { resumeCommand } from "@scorel/kit/text/resume-command";
import type {} from "@scorel/models/contract";
import type { TerminalService, TerminalStart } from "@scorel/terminal/contract";
import type {} from "@scorel/trust/contract";
import type {} from "@scorel/watch/contract";
import { Chat } from "./chat.ts";
import { chooseSession } from "./choose-session.ts";
import { Connection } from "./connection.ts";
import type { ChatPlace } from "./contract.ts";
import { errors } from "./errors.ts";
import { withModel } from "./first-model.ts";
import { readPipe } from "./pipe.ts";
import { openOrRelocate, type Plainly } from "./relocate.ts";
import { Screen } from "./screen.ts";
import { endingWith, isInThisProcess, stillAtWork } from "./still-at-work.ts";
import { talk } from "./terminal.ts";

const UNCONFIGURED = 2;
const CANCELLED = 130;

type Context = PluginContext<unknown, "host" | "sessionOptions">;

/** Runs a conversation from the first line to the last. Returns the exit code. */
export async function converse(
  ctx: Context,
  invocation: Invocation,
  { elsewhere = false, comeBack = (sessionId) => resumeCommand(sessionId, ctx.find("launch")?.preset) }: ChatPlace = {},
): Promise<number> {
  checkChoice(invocation);
  // A host elsewhere uses no files of a project on this computer, so no trust is needed.
  if (!elsewhere) await ctx.find("trustQuestion")?.ask(invocation);
  const client = ctx.host.connect({ name: "terminal" });
  const rights = elsewhere ? await rightsOf(client) : ALL_RIGHTS;
  const full = fullScreen(ctx, invocation);
  const isHere = (sessionId: string) => !elsewhere && isInThisProcess(sessionId, ctx.find("sessionLogs"));
  const at = { rights, elsewhere, comeBack, isHere };
  return full ? inFullScreen(ctx, full, client, invocation, at) : inLines(ctx, client, invocation, at);
}

/** Throws CHAT_TWO_SESSIONS and CHAT_RESUME for options that do not say which session is meant. */
function checkChoice({ options, stdin }: Invocation): void {
  const selecting = [options.session !== undefined, options.continue === true, options.resume !== undefined];
  if (selecting.filter(Boolean).length > 1) throw errors.CHAT_TWO_SESSIONS();
  if (options.resume === true && stdin.isTTY !== true) throw errors.CHAT_RESUME();
}

/** Runs the conversation line by line, for a person or for a program. Returns the exit code. */
async function inLines(ctx: Context, client: Client, invocation: Invocation, at: HostAt): Promise<number> {
  const { options, stdin, stdout, terminal = stdout } = invocation;
  let unwatch: (() => void) | undefined;
  let connection: Connection | undefined;
  try {
    const chosen = options.resume === true ? await chooseSession(client, invocation) : undefined;
    const status = await opened(ctx, client, withSession(invocation, chosen), at);
    if (!status) return UNCONFIGURED;
    const usage = stdout.isTTY === true ? undefined : usageOutput(invocation);
    const screen = new Screen(createOutput(terminal), client, () => widthIn(stdout, invocation.env), usage);
    connection = new Connection(client, screen);
    const chat = new Chat(client, connection, screen, { ...at, person: stdin.isTTY === true });
    await chat.session.enter(status);
    unwatch = options.watch === true ? await watched(ctx, client, chat, screen) : undefined;
    return await exchange(client, chat, screen, invocation, at);
  } finally {
    unwatch?.();
    connection?.end();
    await client.close();
  }
}

/** Reads lines until the user leaves or the input ends, and closes the session. Returns the exit code. */
async function exchange(
  client: Client,
  chat: Chat,
  screen: Screen,
  invocation: Invocation,
  { comeBack, isHere }: HostAt,
): Promise<number> {
  const { session, connection, turns } = chat;
  const { stdin, interrupt, args } = invocation;
  const person = stdin.isTTY === true;
  const ending = (id: string) => (isHere(id) ? endingWith(client, id) : undefined);
  const hasInput = await (person
    ? talk(chat, screen, { ...invocation, first: args[0], ending, isHere }).then(() => true)
    : readPipe(chat, screen, invocation));
  let staying: string[] = [];
  // A host that is gone cannot close the session.
  const staysWith = (names: string[]) => {
    staying = names;
  };
  const closed = closeSession(client, session.sessionId, screen, { staysWith, isHere });
  await connection.orLost(closed);
  if (person && session.begun) await screen.line(farewell(comeBack(session.sessionId), staying));
  if (interrupt.aborted) return CANCELLED;
  if (!hasInput) throw errors.CHAT_NO_INPUT();
  return !person && turns.failed > 0 ? 1 : 0;
}

/** The service for a conversation on the whole screen; undefined if the user has chosen lines or the terminal is not suitable. */
function fullScreen(ctx: Context, invocation: Invocation): TerminalService | undefined {
  const { plain, watch } = invocation.options;
  const terminal = plain === true || watch === true ? undefined : ctx.find("terminal");
  return terminal?.suits(invocation) ? terminal : undefined;
}

async function inFullScreen(
  ctx: Context,
  terminal: TerminalService,
  client: Client,
  invocation: Invocation,
  at: HostAt,
): Promise<number> {
  const { rights, comeBack, isHere } = at;
  try {
    const open: TerminalStart["open"] = (plainly, sessionId) =>
      opened(ctx, client, withSession(invocation, sessionId), at, plainly);
    const [prompt] = invocation.args;
    const choosesSession = invocation.options.resume === true;
    const atWork = (id: string) => stillAtWork(client, id);
    const start = { invocation, client, open, prompt, choosesSession, rights, comeBack, atWork, isHere };
    return (await terminal.run(start)) ?? UNCONFIGURED;
  } finally {
    await client.close();
  }
}

/** The invocation with the session that was chosen from a list, if one was. */
function withSession(invocation: Invocation, sessionId: string | undefined): Invocation {
  return sessionId === undefined
    ? invocation
    : { ...invocation, options: { ...invocation.options, session: sessionId } };
}

/** The location of the host, and the rights of this client. */
interface HostAt {
  rights: Rights;
  elsewhere: boolean;
  comeBack: NonNullable<ChatPlace["comeBack"]>;
  /** Whether this process has a session open. */
  isHere(sessionId: string): boolean;
}

/** Opens the session, and asks the user for a missing directory or model. `plainly` runs the code that asks. */
async function opened(
  ctx: Context,
  client: Client,
  invocation: Invocation,
  { rights, elsewhere }: HostAt,
  plainly: Plainly = (ask) => ask(),
): Promise<SessionStatus | undefined> {
  const known = ctx.sessionOptions.known();
  const { cwd, options, stdin } = invocation;
  const attending = stdin.isTTY === true && rights.answer;
  const choice = { ...sessionChoice(cwd, options, known), attending, looksOn: !rights.write };
  const open = (model: string | undefined) =>
    openOrRelocate(client, invocation, () => openSession(client, { ...choice, model }), { elsewhere, plainly });
  const status = await open(options.model as string | undefined);
  if (!rights.write) return status;
  return withModel(client, invocation, status, { models: ctx.find("models"), reopen: open, plainly });
}

/** Reloads the session when its sources change; throws CHAT_NO_WATCH and WATCH_FOLDER. */
async function watched(ctx: Context, client: Client, chat: Chat, screen: Screen): Promise<() => void> {
  const watch = ctx.find("watch");
  if (!watch) throw errors.CHAT_NO_WATCH();
  return watch.follow({
    client,
    sessionId: () => chat.session.sessionId,
    between: (work) => chat.between(work),
    reloaded: async (status, told) => {
      await screen.line(told);
      await screen.notices(status.notices);
    },
    kept: (told) => screen.line(told),
  });
}

/** The last text of a conversation: how to return to the session, and which clients stay in it. */
function farewell(how: string, staying: readonly string[]): string {
  if (staying.length === 0) return `To continue: ${how}`;
  return `The session continues without you: ${staying.join(", ")} ${staying.length === 1 ? "is" : "are"} still there. To come back: ${how}`;
}

/**
 * Closes the session, and prints what ends with it and failures that were not shown yet. `staysWith` is called with the names of clients that
 * still have it open.
 */
async function closeSession(
  client: Client,
  sessionId: string,
  screen: Screen,
  { staysWith, isHere }: { staysWith: (names: string[]) => void } & Pick<HostAt, "isHere">,
): Promise<void> {
  const background = await stillAtWork(client, sessionId);
  const { notices, present = [] } = await client.request("get_status", { sessionId });
  staysWith(present.filter(({ clientId }) => clientId !== client.clientId).map(({ name }) => lineOf(name)));
  await screen.notices(notices);
  const { closed, notices: failures } = await client.request("close_session", { sessionId });
  const open = isHere(sessionId) ? "ends with this terminal" : "at work until the session is closed";
  if (background !== "") await screen.line(`(${closed ? "ended with the session" : open}: ${background})`);
  await screen.notices(failures);
}

/** The output for the usage of turns if a program reads stdout: stderr if it is a terminal, else none, to keep it out of error logs. */
function usageOutput({ stderr }: Invocation): Output {
  if (stderr.isTTY === true) return createOutput(stderr);
  return { write: async () => {}, failure: undefined, complaint: undefined };
}
