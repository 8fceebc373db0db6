import type {
  AgentContext,
  ClientCapabilities,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { lineOf } from "@scorel/kit/text/one-line";
import { cleanText } from "./clean.ts";

/** The connection to the editor: shows updates and notices in it, and asks questions through it. */
export class Editor {
  /** Capabilities that the editor has declared in `initialize`. */
  can: ClientCapabilities = {};
  private readonly client: () => AgentContext;
  private readonly log: (text: string) => void;

  /** `log` writes a line to stderr, which editors show as a log. */
  constructor(client: () => AgentContext, log: (text: string) => void) {
    this.client = client;
    this.log = log;
  }

  /** Sends an update. Resolves when it is written, also if the connection has ended, which is handled elsewhere. */
  async update(sessionId: string, update: SessionUpdate): Promise<void> {
    await this.client()
      .notify("session/update", { sessionId, update })
      .catch(() => {});
  }

  /** Shows a message that is not part of the conversation: in the editor if it supports notices, else in its log. */
  async notice(sessionId: string, severity: "info" | "warning" | "error", text: string): Promise<void> {
    const [title = "", ...more] = cleanText(text).split("\n");
    if (!this.can.session?.notices) return this.log(`${severity}: ${text}`);
    const description = more.length > 0 ? { description: more.join("\n") } : {};
    await this.update(sessionId, { sessionUpdate: "notice", severity, title, ...description });
  }

  /** Lets a person choose an option. Returns its id, or null if none was chosen. `signal` withdraws the question. */
  async choose(request: RequestPermissionRequest, signal: AbortSignal): Promise<string | null> {
    const { outcome } = await this.client().request("session/request_permission", request, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    if (outcome.outcome === "cancelled") return null;
    return request.options.some(({ optionId }) => optionId === outcome.optionId) ? outcome.optionId : null;
  }

  /** The text of a file as the user sees it, with unsaved changes. Rejects if the editor refuses. */
  async readFile(sessionId: string, path: string): Promise<string> {
    const { content } = await this.client().request("fs/read_text_file", { sessionId, path });
    return content;
  }

  /** Lets the editor write text to a file. */
  async writeFile(sessionId: string, path: string, content: string): Promise<void> {
    await this.client().request("fs/write_text_file", { sessionId, path, content });
  }

  /** Whether the editor can ask a person for text. */
  get takesText(): boolean {
    return Boolean(this.can.elicitation?.form);
  }

  /** Asks a person for a line of text. Returns null if there is no answer. */
  async askText(sessionId: string, title: string, fallback: string | undefined, signal: AbortSignal) {
    const answer = {
      type: "string" as const,
      title: lineOf(title),
      ...(fallback !== undefined && { default: fallback }),
    };
    const given = await this.client().request(
      "elicitation/create",
      {
        mode: "form",
        sessionId,
        message: cleanText(title),
        requestedSchema: { type: "object", properties: { answer }, required: ["answer"] },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    const { action, content } = given as { action: string; content?: Record<string, unknown> | null };
    return action === "accept" && typeof content?.answer === "string" ? content.answer : null;
  }
}
