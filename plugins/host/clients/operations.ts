import { z } from "zod";
import type { Operation, Operations } from "../contract.ts";
import { queueOf } from "../sessions/queued.ts";
import { statusOf } from "../sessions/status.ts";
import { contextPage } from "../stream/pages.ts";
import { openFor, releaseUnlessKept } from "./caller.ts";
import * as handlers from "./handlers.ts";
import type { OwnOperation } from "./own-operation.ts";
import { content, count, flag, text } from "./params.ts";
import { cancelTurn, rewriteQueue, runQueue } from "./queue.ts";

const sessionId = z.string().describe("Id of a session.");
const idOrStart = z.string().describe("Id of a session, or its beginning if that is unambiguous.");
const cwd = z.string().describe("Working directory: an absolute path on the host's machine.");
const name = text.describe("Name of the session. Default: a title that is derived from the conversation.");
const unsaved = flag.describe("Keeps the log in memory only.");
const messageId = text.describe(
  "A text that identifies this request, chosen by the client. A repeated request with the same text has no further effect and returns the same result.",
);
const session = () => z.strictObject({ sessionId });
const STATUS_LISTS =
  "The status has the clients and the open questions, and at most 100 damaged lines and 1,000 failures.";
/** The operation checks this itself and throws its own error. */
const anyNumber = z.number().optional();

const relation = () => ({
  preset: z
    .string()
    .regex(/^[\w@][\w@-]*$/, "it must be the name of a preset, not a path")
    .optional()
    .describe(
      "Name of a preset, found and trusted as for `--preset`. Default: the parent's preset, or that of the host's process.",
    ),
  parent: z
    .strictObject({ sessionId, toolCallId: text })
    .optional()
    .describe(
      "An open session that the new one belongs to, and the tool call that it is created for. The new session may do at most what its parent may.",
    ),
  kind: z
    .string()
    .regex(/^[a-z][a-z\d-]{0,31}$/, "it must be a short word such as subagent")
    .optional()
    .describe("The kind of session: a short word such as `subagent`."),
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Data of plugins as plain JSON, by plugin id; up to 64 KB."),
});

const queued = () =>
  z.strictObject({ id: z.string(), mode: z.enum(["steer", "follow_up"]).optional(), content: content.optional() });

const eventRange = () =>
  z
    .strictObject({
      sessionId,
      after: text.describe("Id of an event: returns only events after it."),
      limit: z.number().int().min(1).optional().describe("Maximum number of events to return, from the first one on."),
      tail: count.describe("Maximum number of events to return, up to the last one."),
      before: text.describe("Id of an event: returns only events before it."),
    })
    .refine(
      ({ after, limit, tail, before }) =>
        (after === undefined && limit === undefined) || (tail === undefined && before === undefined),
      "use either after and limit, or tail and before",
    );

/** The host's own operations. Plugins contribute the others. */
export const operations = {
  ping: {
    summary: "Answers at once, to show that the host can be reached.",
    readOnly: true,
    confined: true,
    params: () => z.strictObject({}),
    run: () => ({ pong: true }),
  },
  list_operations: {
    summary: "Describes the operations that the client may use, with JSON Schemas of their params and results.",
    readOnly: true,
    confined: true,
    size: "pages",
    params: () =>
      z.strictObject({ sessionId: text.describe("Id of a session: includes the operations of its plugins.") }),
    run: async (params, caller): Promise<Operations["list_operations"]["result"]> =>
      (await import("./list-operations.ts")).listOperations(operations, params.sessionId, caller),
  },
  get_rights: {
    summary:
      "Tells what the client may do in a session besides reading it: write in it, answer its questions, and with which answers.",
    readOnly: true,
    size: { bounded: "A scope names as many operations as there are, at most." },
    confined: true,
    params: () => z.strictObject({ sessionId: text.describe("Id of the session; default: any.") }),
    run: ({ sessionId = "" }, { access }) => {
      const may = (operation: string) => access.includes(operation, {}, { sessionId });
      return {
        write: may("load_session") && may("send_message"),
        answer: may("attend_requests") && may("answer_request"),
        lasting: access.operations === "all" && !access.confined,
        operations: access.operations,
      };
    },
  },
  create_session: {
    summary: "Creates a session in a directory.",
    confined: true,
    opens: true,
    paths: { cwd: "directory" },
    size: { bounded: STATUS_LISTS },
    params: () => z.strictObject({ cwd, name, unsaved, ...relation() }),
    run: handlers.createSession,
  },
  clone_session: {
    summary: "Creates a session with a copy of another one's conversation, up to an event.",
    opens: true,
    size: { bounded: STATUS_LISTS },
    params: () =>
      z.strictObject({
        sessionId,
        eventId: text.describe("The last event of the copy; default: the active leaf. The start of an id is enough."),
        unsaved,
        atOnce: flag.describe("Creates the file immediately, not with the first new event."),
        messageId,
      }),
    run: handlers.cloneSession,
  },
  load_session: {
    summary: "Opens a stored session.",
    opens: true,
    size: { bounded: STATUS_LISTS },
    params: () => z.strictObject({ sessionId: idOrStart }),
    run: handlers.loadSession,
  },
  continue_session: {
    summary: "Opens the session with the latest event in a directory.",
    confined: true,
    opens: true,
    paths: { cwd: "operation" },
    size: { bounded: STATUS_LISTS },
    params: () => z.strictObject({ cwd }),
    run: handlers.continueSession,
  },
  list_sessions: {
    summary: "Lists sessions, latest activity first.",
    readOnly: true,
    confined: true,
    paths: { cwd: "operation" },
    size: "pages",
    params: () =>
      z.strictObject({
        cwd: text.describe("Only sessions of this directory."),
        project: text.describe("Only sessions of this project: its id, name or directory."),
        limit: anyNumber.describe("Maximum number of sessions to return, up to 1000."),
        children: flag.describe("Includes sessions that have a parent."),
        parent: text.describe("Id of a session: lists only sessions with this parent."),
        archived: flag.describe("Includes archived sessions."),
      }),
    run: async (params, caller) => ({ sessions: await handlers.listSessions(params, caller) }),
  },
  send_message: {
    summary: "Sends a message. It starts a turn, or waits for the end of the running one.",
    params: () =>
      z.strictObject({
        sessionId,
        content: content.describe("Text, or a list of texts and images (base64)."),
        messageId,
        running: z
          .enum(["follow_up", "steer", "refuse"])
          .optional()
          .describe(
            "During a turn: deliver the message when the turn would end (default), deliver it between two rounds, or refuse it.",
          ),
        mentions: z
          .boolean()
          .optional()
          .describe(
            "Set to false for text that the user has not written: files mentioned as `@path` are then not attached, and named skills are not loaded. Default: true; of a list of texts, only the first one is searched for `@path`.",
          ),
        limits: z
          .strictObject({
            rounds: z.number().int().min(1).optional().describe("Number of model calls."),
            cost: z.number().positive().optional().describe("US dollars."),
          })
          .optional()
          .describe("Ends the turn that answers the message rather than call the model again once a limit is reached."),
      }),
    run: handlers.sendMessage,
  },
  wait_turn: {
    summary: "Waits for the turn that answers a sent message, and returns its outcome.",
    readOnly: true,
    params: () =>
      z.strictObject({ sessionId, id: z.string().describe("The `id` that `send_message` or `run_queue` returned.") }),
    run: handlers.waitTurn,
  },
  cancel: {
    summary:
      "Cancels the running turn, no matter which client began it. Messages that other clients have queued are then sent.",
    params: session,
    run: cancelTurn,
  },
  get_queue: {
    summary: "Returns the queued messages in order.",
    readOnly: true,
    size: "pages",
    params: session,
    run: (params, { sessions }) => sessions.withReadOnly(sessions.resolve(params.sessionId), queueOf),
  },
  rewrite_queue: {
    summary: "Edits, reorders and removes queued messages in one step.",
    size: { bounded: "It returns the ids that were sent." },
    params: () =>
      z.strictObject({
        sessionId,
        items: z.array(queued()).describe("The messages to keep, in their new order, each with its changes."),
        expectedSeq: count.describe(
          "The `seq` that `get_queue` returned. Nothing is changed if the queue has changed since.",
        ),
        messageId,
      }),
    run: rewriteQueue,
  },
  run_queue: {
    summary: "Starts a turn with the queued messages.",
    params: session,
    run: runQueue,
  },
  get_context: {
    summary: "Returns the conversation that the model receives, from the last summary on.",
    readOnly: true,
    size: { bounded: "It makes its own pages, from the end of the conversation." },
    params: () =>
      z.strictObject({
        sessionId,
        limit: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe(
            "Maximum number of messages to return, up to the last one. Default: as many as fit into about 8 MB.",
          ),
        skip: count.describe("Number of messages to leave out at the end."),
      }),
    run: async (params, caller) => contextPage((await openFor(params, caller)).kernel.session.buildContext(), params),
  },
  get_events: {
    summary: "Returns stored events in order, in pages after or before an event.",
    readOnly: true,
    size: { bounded: "It makes its own pages." },
    params: eventRange,
    run: handlers.getEvents,
  },
  get_status: {
    summary: "Returns the status of a session: its model, whether a turn is running, and problems.",
    readOnly: true,
    size: { bounded: STATUS_LISTS },
    params: session,
    run: async (params, caller) => statusOf(await openFor(params, caller)),
  },
  follow_status: {
    summary:
      "Returns the model, the permission mode, the used window, the cost and the branch of a session, and announces their changes.",
    readOnly: true,
    params: session,
    run: async (params, caller) => {
      const open = await openFor(params, caller);
      caller.followed.add(open.id);
      return open.changes.begin();
    },
  },
  reload_session: {
    summary: "Reopens a session with the current plugins and configuration.",
    size: { bounded: STATUS_LISTS },
    params: session,
    run: handlers.reloadSession,
  },
  check_sessions: {
    summary: "Checks the files of the sessions written last, without changing them.",
    readOnly: true,
    size: { bounded: "It checks at most 1,000 sessions, and reads about 64 MB of them." },
    params: () => z.strictObject({ limit: anyNumber.describe("Number of sessions to check. Default: 5.") }),
    run: async ({ limit }, { sessions }) =>
      (await import("../sessions/health.ts")).checkSessions(sessions.shelf.logs, sessions.shelf.directory, limit),
  },
  close_session: {
    summary: "Releases a session; the last client to do so closes it.",
    readOnly: true,
    size: { bounded: "It names what failed on closing, at most 1,000 notices." },
    params: session,
    run: (params, caller) => releaseUnlessKept(params.sessionId, caller),
  },
} satisfies { [O in Operation]?: OwnOperation<O> };

/** Returns one of the host's own operations; undefined for others. */
export function ownOperation<O extends Operation>(operation: O): OwnOperation<O> | undefined {
  return Object.hasOwn(operations, operation)
    ? (operations as { [K in Operation]?: OwnOperation<K> })[operation]
    : undefined;
}

/** The names of the host's own operations. */
export const operationNames = (): string[] => Object.keys(operations);

/** Returns the schema of what one of the host's own operations returns. */
export async function ownResult<O extends Operation>(operation: O): Promise<z.ZodType<Operations[O]["result"]>> {
  const { results } = await import("./operation-results.ts");
  return results[operation as keyof typeof results] as z.ZodType as z.ZodType<Operations[O]["result"]>;
}
