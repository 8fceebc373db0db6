import type {} from "@scorel/agent/contract";
import type { SessionStatus, SessionSummary } from "@scorel/host/contract";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { seenFrom } from "@scorel/kit/files/paths";
import { localMinute } from "@scorel/kit/text/local-time";
import { lineOf } from "@scorel/kit/text/one-line";
import type { SessionOptions, Workspace } from "@scorel/workspace/contract";
import { z } from "zod";
import type { CommandResult, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";

const SHOWN_SESSIONS = 20;

const newCommand = (ctx: BaseContext): SlashCommand => ({
  summary: "Start a new session in the same directory; this one is kept",
  operations: ["get_status", "follow_status", "create_session"],
  args: z.object({ name: z.string().optional() }),
  run: async ({ name }: { name?: string }, context) => {
    const { sessionId, request } = context;
    const { leafId, meta } = await request("get_status", { sessionId });
    const { cwd = process.cwd(), preset } = meta as { cwd?: string; preset?: string };
    const begun = { cwd, ...(name !== undefined && { name }), ...(preset !== undefined && { preset }) };
    const former = leafId === null ? "" : `; the former one is kept: /resume ${sessionId.slice(0, 8)}`;
    const { status, options } = await createAlike(begun, ctx.find("workspace"), context);
    return { ...switchTo(status, `New session${former}`), options: { ...options } };
  },
});

/**
 * Creates a session with the options of this one, and its current model, thinking level and permission mode, without what the client may
 * not choose.
 */
async function createAlike(
  begun: { cwd: string; name?: string; preset?: string },
  workspace: Workspace | undefined,
  { sessionId, request }: SlashContext,
): Promise<{ status: SessionStatus; options: SessionOptions }> {
  const { model, thinking, permission, permissionDefault } = await request("follow_status", { sessionId });
  const { tools, appendSystemPrompt, sandbox, allowWrite }: SessionOptions = workspace ?? {};
  const mode = (permission === permissionDefault ? undefined : permission) as SessionOptions["permission"];
  const create = async (more: SessionOptions) => {
    const options = { tools, appendSystemPrompt, ...more };
    return { status: await request("create_session", { ...begun, model, thinking, ...options }), options };
  };
  // Each is dropped by itself: a sandbox or a mode may also be stricter than the configured one.
  const most = { permission: mode, sandbox };
  return firstAllowed(create, [{ ...most, allowWrite }, most, { sandbox }, { permission: mode }, {}]);
}

/** Creates a session with the first of these options that the client may choose. */
async function firstAllowed<Created>(
  create: (options: SessionOptions) => Promise<Created>,
  [options = {}, ...others]: readonly SessionOptions[],
): Promise<Created> {
  try {
    return await create(options);
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_FORBIDDEN" || others.length === 0) throw thrown;
    return firstAllowed(create, others);
  }
}

/** Commands about the session as a whole. */
export const sessionCommands = (ctx: BaseContext): Record<string, SlashCommand> => ({
  new: newCommand(ctx),
  clear: { ...newCommand(ctx), summary: "Start with an empty conversation, like /new" },
  resume: {
    summary: "Resume the session whose id or title contains this; without one, list those of this project",
    operations: [],
    args: z.object({ session: z.string().optional() }),
    choices: async (context) =>
      (await sessionsHere(context)).map((session) => ({
        value: session.sessionId,
        label: titleOf(session),
        detail: [localMinute(session.updatedAt), ...session.place].join("  "),
      })),
    complete: async (_key, typed, context) => namesFor(await sessionsHere(context), typed),
    run: ({ session }: { session?: string }, context) =>
      session === undefined ? listHere(context) : resume(session, context),
  },
  clone: {
    summary: "Copy the conversation, or its beginning up to an event, into a new session",
    operations: ["clone_session"],
    args: z.object({ event: z.string().optional() }),
    run: async ({ event }: { event?: string }, { sessionId, request }) =>
      switchTo(
        await request("clone_session", { sessionId, atOnce: true, ...(event !== undefined && { eventId: event }) }),
        "Copied to a new session",
      ),
  },
  name: {
    summary: "Rename the session",
    operations: ["rename_session"],
    args: z.object({ name: z.string() }),
    run: async ({ name }: { name: string }, { sessionId, request }) => {
      const renamed = await request("rename_session", { sessionId, name });
      return { output: `The session is named "${renamed.meta.name}".`, data: renamed.meta };
    },
  },
  status: {
    summary: "Show the session's state",
    operations: ["get_status"],
    args: z.object({}),
    run: async (_args, { sessionId, request }) => {
      const status = await request("get_status", { sessionId });
      return { output: statusText(status), data: status };
    },
  },
  reload: {
    summary: "Reload the session with the current extensions, presets and configuration",
    operations: ["reload_session"],
    args: z.object({}),
    run: async (_args, { sessionId, request }) => switchTo(await request("reload_session", { sessionId }), "Reloaded"),
  },
  quit: { summary: "Leave; the session is kept", operations: [], args: z.object({}), run: () => ({ leave: true }) },
});

async function directoryOf({ sessionId, request }: SlashContext): Promise<string> {
  const { meta } = await request("get_status", { sessionId });
  return meta.cwd ?? process.cwd();
}

/** A session with the way to its directory, if that is another one than that of the command's session. */
type PlacedSession = SessionSummary & { place: string[] };

/** The other sessions of the project, the latest first. Sessions without messages are left out: there is nothing to return to. */
async function sessionsHere({ sessionId: current, request }: SlashContext): Promise<PlacedSession[]> {
  const { projectSessions } = await import("@scorel/host/client");
  const { meta } = await request("get_status", { sessionId: current });
  const cwd = meta.cwd ?? process.cwd();
  const { sessions } = await projectSessions({ request }, { ...meta, cwd });
  return sessions
    .filter(({ sessionId, messages }) => sessionId !== current && messages !== 0)
    .map((session) => ({ ...session, place: [lineOf(seenFrom(cwd, session.cwd))].filter((place) => place !== "") }));
}

/** The titles by which sessions can be resumed. A session gets its id if others have the same title, or if the id is being typed. */
function namesFor(sessions: readonly SessionSummary[], typed: string): string[] {
  const titles = sessions.map(titleOf);
  const isOnly = (title: string) => title !== "" && titles.filter((each) => each === title).length === 1;
  return sessions.map((session) => {
    const title = titleOf(session);
    const isIdTyped = typed !== "" && session.sessionId.startsWith(typed);
    return isOnly(title) && !isIdTyped ? title : session.sessionId;
  });
}

function titleOf({ name, title }: SessionSummary): string {
  return lineOf(name || title);
}

async function listHere(context: SlashContext): Promise<CommandResult> {
  const sessions = (await sessionsHere(context)).slice(0, SHOWN_SESSIONS);
  if (sessions.length === 0)
    throw errors.COMMAND_NOTHING({ name: "resume", what: "there is no other session in this project" });
  const lines = sessions.map(({ place, ...session }) =>
    [
      session.sessionId.slice(0, 8),
      localMinute(session.updatedAt),
      titleOf(session),
      ...place.map((way) => `(${way})`),
    ].join("  "),
  );
  return { output: lines.join("\n"), data: sessions.map(({ place: _, ...session }) => session) };
}

async function resume(wanted: string, context: SlashContext): Promise<CommandResult> {
  const { request } = context;
  const { findSession } = await import("@scorel/host/client");
  const status = await request("load_session", {
    sessionId: await findSession(context, wanted, await directoryOf(context)),
  });
  const { cwd } = status.meta;
  const { sessions } = await request("list_sessions", cwd === undefined ? {} : { cwd });
  const found = sessions.find(({ sessionId }) => sessionId === status.sessionId);
  return switchTo(status, `Now in "${found ? titleOf(found) : "another session"}"`);
}

function switchTo(status: SessionStatus, output: string): CommandResult {
  return { output, sessionId: status.sessionId, data: status };
}

function statusText({ sessionId, running, model, modelError, meta, problems, notices }: SessionStatus): string {
  const { preset } = meta as { preset?: string };
  return [
    `session    ${sessionId}${meta.name === undefined ? "" : ` (${meta.name})`}`,
    `directory  ${meta.cwd}`,
    `model      ${model ?? modelError?.message}${meta.thinkingLevel === undefined ? "" : `, thinking ${meta.thinkingLevel}`}`,
    ...(preset === undefined ? [] : [`preset     ${preset}`]),
    `state      ${running ? "running a turn" : "idle"}`,
    ...(problems.length > 0
      ? [`damage     ${problems.length} places in the log; \`scorel session verify\` shows them`]
      : []),
    ...notices.map(({ message }) => `notice     ${message}`),
  ].join("\n");
}
