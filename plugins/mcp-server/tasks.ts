import type { TurnOutcome } from "@scorel/agent/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf, isEvent, messageOf } from "@scorel/kernel";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { beginningOf } from "@scorel/kit/text/cut";
import { displayText } from "@scorel/kit/text/display";
import { lineOf } from "@scorel/kit/text/one-line";
import { newId } from "@scorel/kit/values/id";
import { within } from "@scorel/kit/values/within";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";
import type { OpenRequest } from "@scorel/requests/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";
import { type After, type Call, untilNews } from "./waiting.ts";

/** Most characters of the text of a question. */
const MOST_BODY = 20_000;
/** Number of latest events that are searched for the model's last text. */
const MOST_EVENTS = 100;
/** Milliseconds to wait for a host that is disconnected, when ending. */
const AWAY_MS = 3_000;

export interface Around {
  client: Client;
  /** Folder of the sessions that can be seen and started. */
  root: string;
  /** Options for each session that is opened. */
  options: SessionOptions;
  /** Whether the agent may answer questions, so that tools wait for the answer. */
  answers: boolean;
  log(text: string): void;
  /** Timer for following tasks. Default: real time. */
  after?: After;
}

/** State of a task, for the other agent. */
export interface TaskState {
  session: string;
  state: "running" | "asking" | "idle" | TurnOutcome["reason"];
  /** The answer; while the task is running, the latest text of the model. */
  text?: string;
  error?: string;
  /** What the agent should do next while the task is running. */
  hint?: string;
  questions?: object[];
}

const STILL_RUNNING = "The task is still running. Call follow_task again to keep waiting, or cancel_task to end it.";

interface Turn {
  done: Promise<unknown>;
  outcome?: TurnOutcome;
  problem?: unknown;
}

/** The sessions in which another agent has tasks done. */
export class Tasks {
  readonly around: Around;
  /** Sessions that are open for writing, with their latest turn. */
  private readonly open = new Map<string, Turn | undefined>();

  constructor(around: Around) {
    this.around = around;
  }

  /** Starts a task in a new or an existing session. */
  async start(prompt: string, { cwd, session }: { cwd?: string; session?: string }): Promise<TaskState> {
    const { client } = this.around;
    const sessionId = session === undefined ? await this.create(cwd) : await this.load(session);
    const { id } = await client.request("send_message", {
      sessionId,
      content: prompt,
      messageId: newId(),
      mentions: false,
    });
    const turn: Turn = { done: Promise.resolve() };
    turn.done = client.request("wait_turn", { sessionId, id }).then(
      (outcome) => {
        turn.outcome = outcome;
      },
      (thrown) => {
        turn.problem = thrown;
      },
    );
    this.open.set(sessionId, turn);
    return { session: sessionId, state: "running" };
  }

  /** Waits until a task ends or asks a question, at most `waitMs`, and returns its state. Cancelling the call does not cancel the task. */
  async follow(session: string, waitMs: number, call: Call): Promise<TaskState> {
    const sessionId = await this.known(session);
    const turn = this.open.get(sessionId);
    const { client, answers, after } = this.around;
    const task = { client, sessionId, done: turn?.done, answers, after };
    if (turn && !isOver(turn) && waitMs > 0) await untilNews(task, waitMs, call);
    return this.state(sessionId);
  }

  /**
   * Checks that a session belongs to this server's folder, and returns its id. Throws MCP_SERVER_SESSION, also for a session of another
   * folder.
   */
  async known(session: string): Promise<string> {
    if (this.open.has(session)) return session;
    const unknown = () => errors.MCP_SERVER_SESSION({ session: lineOf(session).slice(0, 80) });
    const { client, root } = this.around;
    const status = await client.request("get_status", { sessionId: session }).catch((thrown) => {
      throw codeOf(thrown).startsWith("SESSION_") ? unknown() : thrown;
    });
    const { cwd } = status.meta;
    if (status.sessionId !== session || typeof cwd !== "string" || !isWithin(root, cwd)) throw unknown();
    return session;
  }

  /** The open questions of a session. */
  async questions(sessionId: string): Promise<readonly OpenRequest[]> {
    return (await this.around.client.request("list_requests", { sessionId })).requests;
  }

  /** Cancels the turns that were started here. */
  async cancel(): Promise<void> {
    const running = [...this.open].filter(([, turn]) => turn && !isOver(turn));
    await this.inEach(running.map(([sessionId]) => this.around.client.request("cancel", { sessionId })));
  }

  /** Ends the turns that were started here, and closes their sessions. */
  async end(): Promise<void> {
    await this.cancel();
    const { client } = this.around;
    await this.inEach([...this.open.keys()].map((sessionId) => client.request("close_session", { sessionId })));
  }

  private async inEach(work: readonly Promise<unknown>[]): Promise<void> {
    const ended = await Promise.allSettled(work.map((each) => within(AWAY_MS, each, () => errors.MCP_SERVER_AWAY())));
    for (const each of ended) if (each.status === "rejected") this.around.log(messageOf(each.reason));
  }

  private async create(named: string | undefined): Promise<string> {
    const { client, root, options, answers } = this.around;
    const cwd = named === undefined ? root : canonical(named);
    if (!isWithin(root, cwd)) throw errors.MCP_SERVER_FOLDER({ cwd: lineOf(cwd), root });
    const { sessionId } = await client.request("create_session", { cwd, ...options, attending: answers });
    await this.opened(sessionId);
    return sessionId;
  }

  private async load(session: string): Promise<string> {
    const sessionId = await this.known(session);
    if (this.open.has(sessionId)) {
      // If a person has reloaded the session since, it does not know any more who answers its questions.
      await this.attend(sessionId);
      return sessionId;
    }
    const { client, options, answers } = this.around;
    await client.request("load_session", { sessionId, ...options, attending: answers });
    await this.opened(sessionId);
    return sessionId;
  }

  private async opened(sessionId: string): Promise<void> {
    this.open.set(sessionId, undefined);
    await this.attend(sessionId);
  }

  private async attend(sessionId: string): Promise<void> {
    if (this.around.answers) await this.around.client.request("attend_requests", { sessionId });
  }

  private async state(sessionId: string): Promise<TaskState> {
    const session = sessionId;
    const turn = this.open.get(sessionId);
    if (turn?.problem !== undefined) throw turn.problem;
    const { outcome } = turn ?? {};
    if (outcome) {
      const { reason, text, error } = outcome;
      return { session, state: reason, text, ...(error && { error: `${error.code}: ${error.message}` }) };
    }
    const { running } = await this.around.client.request("get_status", { sessionId });
    const questions = running ? await this.questions(sessionId) : [];
    if (questions.length > 0) return { session, state: "asking", questions: questions.map(shownQuestion) };
    if (!running) return { session, state: "idle" };
    const text = await this.saidLast(sessionId);
    return { session, state: "running", ...(text !== undefined && { text }), hint: STILL_RUNNING };
  }

  /** The latest text of the model in the current turn. */
  private async saidLast(sessionId: string): Promise<string | undefined> {
    const { events } = await this.around.client.request("get_events", { sessionId, tail: MOST_EVENTS });
    const messages = events.map(({ event }) => messageIn(event));
    const asked = messages.findLastIndex((message) => message?.role === "user");
    const said = messages.slice(asked + 1).map((message) => (message?.role === "assistant" ? textOf(message) : ""));
    return said.findLast((text) => text !== "");
  }
}

/**
 * The answers to a question that another agent may give: only those that hold for this one question. Undefined if any text may be given.
 */
export function answersTo({ kind, options = [] }: OpenRequest): { value: string; label: string }[] | undefined {
  if (kind === "input") return undefined;
  if (kind === "confirm") return ["y", "n"].map((value) => ({ value, label: value === "y" ? "Yes" : "No" }));
  const once = options.filter(({ lasting, needs, kind: effect }) => !lasting && !needs && effect !== "allow_always");
  return once.map(({ value, label }) => ({ value, label }));
}

function shownQuestion(question: OpenRequest): object {
  const { requestId, title, body = [] } = question;
  const answers = answersTo(question);
  return {
    question: requestId,
    title,
    body: beginningOf(body.map(displayText).join("\n"), MOST_BODY),
    ...(answers && { answers }),
  };
}

function messageIn(event: { type: string }): ScorelMessage | undefined {
  return isEvent(event, "message") ? event.message : undefined;
}

function textOf({ content }: AssistantMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function isOver({ outcome, problem }: Turn): boolean {
  return outcome !== undefined || problem !== undefined;
}
