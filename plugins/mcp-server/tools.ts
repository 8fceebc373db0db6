import type {} from "@scorel/artifacts/contract";
import type { Client, Delivered, EventPage } from "@scorel/host/contract";
import { isEvent, type StoredEvent } from "@scorel/kernel";
import { endOf } from "@scorel/kit/text/cut";
import { displayText } from "@scorel/kit/text/display";
import { z } from "zod";
import { MOST_BYTES, readArtifact } from "./artifact.ts";
import { errors } from "./errors.ts";
import type { Scope } from "./scopes.ts";
import { answersTo, type Tasks } from "./tasks.ts";
import { type Call, MOST_WAIT } from "./waiting.ts";

/** Most characters of a conversation in one answer. */
const MOST_TEXT = 50_000;
const PAGE = 50;
/** Number of events to read at a time when looking for messages. */
const MOST_EVENTS = 500;

/** A tool for the other agent. */
export interface ServedTool {
  name: string;
  description: string;
  scope: Scope;
  /** Whether it does more than read. */
  changes: boolean;
  /** Whether its texts are contents of files, which must stay as they are. */
  isExact?: boolean;
  parameters: z.ZodObject;
  run(args: never, call: Call): Promise<unknown>;
}

const session = z.string().min(1).max(100).describe("id of a session");
const wait = z.number().min(0).default(MOST_WAIT).describe(`seconds to wait; a call waits ${MOST_WAIT} at most`);

function tool<P extends z.ZodObject>(
  head: Omit<ServedTool, "run" | "parameters">,
  parameters: P,
  run: (args: z.output<P>, call: Call) => Promise<unknown>,
): ServedTool {
  return { ...head, parameters, run: run as ServedTool["run"] };
}

/** The tools that these scopes allow. */
export function toolsFor(tasks: Tasks, scopes: ReadonlySet<Scope>): ServedTool[] {
  return [...prompting(tasks), ...viewing(tasks), answering(tasks)].filter(({ scope }) => scopes.has(scope));
}

function prompting(tasks: Tasks): ServedTool[] {
  const head = { scope: "prompt", changes: true } as const;
  return [
    tool(
      {
        ...head,
        name: "start_task",
        description:
          "Give Scorel a task, in a new session or an existing one. Answers at once; follow_task returns the rest.",
      },
      z.strictObject({
        prompt: z.string().min(1).max(MOST_BYTES),
        session: session.optional(),
        cwd: z.string().min(1).max(4_096).optional().describe("folder of a new session; default: that of the server"),
      }),
      ({ prompt, ...place }) => tasks.start(prompt, place),
    ),
    tool(
      { ...head, name: "cancel_task", description: "Cancel what runs in a session." },
      z.strictObject({ session }),
      async ({ session: named }) => tasks.around.client.request("cancel", { sessionId: await tasks.known(named) }),
    ),
  ];
}

function viewing(tasks: Tasks): ServedTool[] {
  const head = { scope: "view", changes: false } as const;
  const { client, root } = tasks.around;
  return [
    tool(
      {
        ...head,
        name: "follow_task",
        description: `Wait until a task ends or asks something, and tell its answer. After ${MOST_WAIT} s, tells that it is still running and what was said last: call it again then.`,
      },
      z.strictObject({ session, wait_seconds: wait }),
      ({ session: named, wait_seconds: seconds }, call) =>
        tasks.follow(named, Math.min(seconds, MOST_WAIT) * 1_000, call),
    ),
    tool(
      { ...head, name: "list_sessions", description: "List the sessions of this folder, the newest first." },
      z.strictObject({ skip: z.int().min(0).default(0) }),
      ({ skip }) => listed(client, root, skip),
    ),
    tool(
      {
        ...head,
        name: "read_session",
        description: "Read the end of a session's conversation, with the turns that failed.",
      },
      z.strictObject({ session, messages: z.int().min(1).max(100).default(20) }),
      async ({ session: named, messages }) => conversation(client, await tasks.known(named), messages),
    ),
    tool(
      { ...head, name: "list_artifacts", description: "List the files that a session has made for people." },
      z.strictObject({ session, skip: z.int().min(0).default(0) }),
      async ({ session: named, skip }) => {
        const sessionId = await tasks.known(named);
        const { artifacts, more } = await client.request("list_artifacts", { sessionId, skip, limit: PAGE });
        return { artifacts: artifacts.map(({ lineage: _, ...artifact }) => artifact), ...(more && { more }) };
      },
    ),
    tool(
      {
        ...head,
        name: "read_artifact",
        description: "Read an artifact, or a part of a large one, as text or base64. Offset and length are in bytes.",
        isExact: true,
      },
      z.strictObject({
        session,
        name: z.string().min(1).max(1_000),
        version: z.int().min(0).optional(),
        offset: z.int().min(0).default(0),
        length: z.int().min(1).max(MOST_BYTES).optional(),
      }),
      async ({ session: named, ...wanted }) => readArtifact(client, await tasks.known(named), wanted),
    ),
  ];
}

function answering(tasks: Tasks): ServedTool {
  const { client } = tasks.around;
  return tool(
    { scope: "approve", changes: true, name: "answer_question", description: "Answer a question that a task asks." },
    z.strictObject({
      session,
      question: z.string().min(1).max(100),
      answer: z.string().max(10_000),
      reason: z.string().max(10_000).optional(),
    }),
    async ({ session: named, question: requestId, answer, reason }) => {
      const sessionId = await tasks.known(named);
      const asked = (await tasks.questions(sessionId)).find((each) => each.requestId === requestId);
      const offered = asked && answersTo(asked);
      // The host itself refuses a question that is not open. Here, answers that hold for longer than this question are excluded.
      if (offered && !offered.some(({ value }) => value === answer)) throw errors.MCP_SERVER_LASTING({ answer });
      await client.request("answer_request", { sessionId, requestId, answer, ...(reason !== undefined && { reason }) });
      return { answered: true };
    },
  );
}

async function listed(client: Client, cwd: string, skip: number) {
  const { sessions, more } = await client.request("list_sessions", { cwd, skip, limit: PAGE });
  const rows = sessions.map(({ sessionId, name, title, updatedAt, running, questions }) => ({
    session: sessionId,
    title: name ?? title,
    updated: new Date(updatedAt).toISOString(),
    state: questions ? "asking" : running ? "running" : "idle",
  }));
  return { sessions: rows, ...(more && { more }) };
}

/** The author of each line that `read_session` returns. Failed turns have lines, too: otherwise a prompt would look unanswered. */
function speakerOf(event: Delivered["event"]): string {
  return isEvent(event, "message") ? event.message.role : "turn failed";
}

/** The last messages of a conversation as text: at most `most` messages, and of these at most the last MOST_TEXT characters. */
async function conversation(client: Client, sessionId: string, most: number): Promise<string> {
  const messages = await lastMessages(client, sessionId, most);
  const texts = messages.map(({ event, display }) => `[${speakerOf(event)}]\n${displayText(display)}`);
  const all = texts.join("\n\n");
  return all.length > MOST_TEXT ? `…${endOf(all, MOST_TEXT)}` : all;
}

/**
 * The last messages and failed turns of a session's active branch. Reads its events in pages, the latest first, until `most` messages are found or the log
 * begins.
 */
async function lastMessages(client: Client, sessionId: string, most: number): Promise<Delivered[]> {
  const messages: Delivered[] = [];
  // The event of the branch that comes next on the way back. Events of other branches were undone.
  let next: string | null = (await client.request("get_status", { sessionId })).leafId;
  let page: EventPage | undefined;
  do {
    const before = page?.events[0] && (page.events[0].event as StoredEvent).id;
    page = await client.request("get_events", {
      sessionId,
      tail: MOST_EVENTS,
      ...(before !== undefined && { before }),
    });
    for (const delivered of page.events.toReversed()) {
      const { id, parentId, type } = delivered.event as StoredEvent;
      if (id !== next) continue;
      next = parentId;
      if (type === "message" || type === "turn_failed") messages.push(delivered);
    }
  } while (page.more && next !== null && messages.length < most);
  return messages.slice(0, most).reverse();
}
