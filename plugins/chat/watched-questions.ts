import { clientName } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { OpenRequest } from "@scorel/requests/contract";
import { openQuestions } from "./questions.ts";
import type { Screen } from "./screen.ts";

/** Reports the questions of plugins to a user who may not answer them: each one once, and how it has ended. */
export class WatchedQuestions {
  private readonly screen: Screen;
  private readonly open = new Map<string, OpenRequest>();

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** Reports the questions that are open already. */
  async begin(client: Client, sessionId: string): Promise<void> {
    const known = await openQuestions(client, sessionId);
    for (const status of known?.statuses ?? []) await this.screen.setStatus(status);
    for (const request of known?.requests ?? []) await this.asked(request);
  }

  /** Handles an event about a new question, or about one that ended. */
  async hear(event: { type: string }): Promise<void> {
    if (isEvent(event, "approval_request")) await this.asked(event);
    else if (isEvent(event, "approval_answer")) await this.ended(event);
  }

  private async asked(request: OpenRequest): Promise<void> {
    if (this.open.has(request.requestId)) return;
    this.open.set(request.requestId, request);
    await this.screen.line(`(waiting for somebody who may answer: ${lineOf(request.title)})`);
  }

  private async ended({ requestId, answer, clientId }: Ended): Promise<void> {
    const request = this.open.get(requestId);
    if (!request) return;
    this.open.delete(requestId);
    const label = request.options?.find(({ value }) => value === answer)?.label ?? answer;
    const who = clientName(clientId) ?? "another client";
    await this.screen.line(label === null ? "(the question was withdrawn)" : `(${who} has answered: ${lineOf(label)})`);
  }
}

interface Ended {
  requestId: string;
  answer: string | null;
  clientId: string;
}
