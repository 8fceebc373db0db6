import type { PermissionOption, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Client } from "@scorel/host/contract";
import { codeOf, isEvent, messageOf } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";
import { lineOf } from "@scorel/kit/text/one-line";
import type { CallRequest } from "@scorel/permissions/contract";
import type { OpenRequest, RequestOption } from "@scorel/requests/contract";
import type { Calls } from "./calls.ts";
import { cleanArgs, codeBlock, textPart } from "./clean.ts";
import { absolute, diffPart, partsOf } from "./diffs.ts";
import type { Editor } from "./editor.ts";
import { argsOf, kindOf, locationsOf, titleOf } from "./tool-calls.ts";

interface Place {
  sessionId: string;
  cwd: string;
  client: Client;
  editor: Editor;
  calls: Calls;
  log(text: string): void;
}

const YES_NO: readonly RequestOption[] = [
  { value: "y", label: "Yes", kind: "allow_once" },
  { value: "n", label: "No", kind: "reject_once" },
];

/** Option ids that are added to those of a question. */
const TAKE_DEFAULT = "default";
const DECLINE = "decline";
/** Shown with a question for text in editors that do not support forms. */
const NO_FIELD =
  "This editor has no field for the answer. To write one, open this session in the terminal or in the page as well, and answer there.";

/** The open questions of a session. The editor asks them. */
export class Questions {
  private readonly place: Place;
  private readonly open = new Map<string, AbortController>();
  private isOver = false;

  constructor(place: Place) {
    this.place = place;
  }

  /** Tells the host that this client answers questions, and asks the open ones. To be repeated after each reload of the session. */
  async attend(): Promise<void> {
    const { client, sessionId } = this.place;
    try {
      const { requests } = await client.request("attend_requests", { sessionId, attending: true });
      for (const request of requests) this.ask(request);
    } catch (thrown) {
      // No plugin of this host asks questions.
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    }
  }

  hear(event: { type: string }): void {
    if (isEvent(event, "approval_request")) this.ask(event);
    if (isEvent(event, "approval_answer")) this.take(event.requestId);
  }

  /** Withdraws all questions from the editor. They stay open in the session. */
  end(): void {
    this.isOver = true;
    for (const id of this.open.keys()) this.take(id);
  }

  /**
   * Withdraws all questions from the editor at once, since it cancels its prompts. Returns a function to call after the cancellation. It
   * declines those that are still open in the session, since nobody would ask them again here.
   */
  withdraw(): () => Promise<void> {
    const ids = [...this.open.keys()];
    for (const id of ids) this.take(id);
    return async () => {
      for (const id of ids) await this.give(id, null);
    };
  }

  private take(requestId: string): void {
    this.open.get(requestId)?.abort();
    this.open.delete(requestId);
  }

  private ask(request: OpenRequest): void {
    const { requestId } = request;
    if (this.isOver || this.open.has(requestId)) return;
    const controller = new AbortController();
    this.open.set(requestId, controller);
    this.answer(request, controller.signal)
      .catch((thrown) => {
        if (!controller.signal.aborted) this.place.log(`A question could not be asked: ${messageOf(thrown)}`);
      })
      .finally(() => {
        // It may have been asked again meanwhile.
        if (this.open.get(requestId) === controller) this.open.delete(requestId);
      });
  }

  private async answer(request: OpenRequest, signal: AbortSignal): Promise<void> {
    // If the editor fails to ask, the question is declined, so that the turn does not wait.
    const answer = await this.answerTo(request, signal).catch((thrown) => {
      signal.throwIfAborted();
      this.place.log(`The editor could not ask a question: ${messageOf(thrown)}`);
      return null;
    });
    if (!signal.aborted) await this.give(request.requestId, answer);
  }

  /** Answers a question in the session; null declines it. */
  private async give(requestId: string, answer: string | null): Promise<void> {
    const { client, sessionId } = this.place;
    try {
      const { message } = await client.request("answer_request", { sessionId, requestId, answer });
      if (message !== undefined) await client.request("send_message", { sessionId, content: message });
    } catch (thrown) {
      // Another client has answered first, or the question has been withdrawn.
      if (codeOf(thrown) !== "REQUEST_CLOSED") throw thrown;
    }
  }

  private async answerTo(request: OpenRequest, signal: AbortSignal): Promise<string | null> {
    const { sessionId, editor } = this.place;
    const { kind, title, fallback, options = [] } = request;
    if (kind === "input" && editor.takesText) return editor.askText(sessionId, title, fallback, signal);
    const toolCall = this.callFor(request);
    if (kind !== "input") {
      const offered = kind === "confirm" ? YES_NO : options;
      return editor.choose({ sessionId, toolCall, options: offered.map(optionOf) }, signal);
    }
    const chosen = await editor.choose({ sessionId, toolCall, options: optionsForText(fallback) }, signal);
    return chosen === TAKE_DEFAULT ? (fallback ?? null) : null;
  }

  /** The tool call for a question: the one it is about if the editor knows it, else one that is made up for the question. */
  private callFor(request: OpenRequest): ToolCallUpdate {
    const { kind, requestId, title, data, body = [] } = request;
    const { calls, cwd } = this.place;
    const { toolCallId, tool, args } = argsOf(data) as Partial<CallRequest>;
    const content = [...contentOf(body, cwd), ...(kind === "input" ? [textPart(NO_FIELD)] : [])];
    const shownId = typeof toolCallId === "string" ? calls.shownId(toolCallId) : undefined;
    if (typeof tool !== "string")
      return { toolCallId: `question-${requestId}`, title: lineOf(title), kind: "other", status: "pending", content };
    const rawInput = cleanArgs(args);
    return {
      toolCallId: shownId ?? `question-${requestId}`,
      title: titleOf(tool, args),
      kind: kindOf(tool),
      status: "pending",
      content,
      locations: locationsOf(args, cwd),
      ...(rawInput !== undefined && { rawInput }),
    };
  }
}

function optionOf({ value, label, kind = "allow_once" }: RequestOption): PermissionOption {
  return { optionId: value, name: lineOf(label), kind };
}

/**
 * Options for an editor without forms. An empty default is not offered: it may be invalid, and an editor that answers automatically would
 * then give the same answer over and over.
 */
function optionsForText(fallback = ""): PermissionOption[] {
  const decline: PermissionOption = { optionId: DECLINE, name: "Do not answer", kind: "reject_once" };
  if (fallback.trim() === "") return [decline];
  return [{ optionId: TAKE_DEFAULT, name: `Answer: ${lineOf(fallback)}`, kind: "allow_once" }, decline];
}

/** The content of a question: changes as diffs, everything else as text. */
function contentOf(body: NonNullable<OpenRequest["body"]>, cwd: string): ToolCallContent[] {
  return body.flatMap((part): ToolCallContent[] => {
    if (part.display === "diff") {
      const parts = partsOf(part.text);
      if (parts.length > 0) return parts.map((each) => diffPart(absolute(part.path, cwd), each));
    }
    const text = displayText(part);
    return text === "" ? [] : [textPart(codeBlock(text))];
  });
}
