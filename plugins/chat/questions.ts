import { visibleText } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf, displayText } from "@scorel/kernel";
import type { OpenRequest, RequestOption } from "@scorel/requests/contract";
import type { Screen } from "./screen.ts";

/** The questions that plugins ask a person, one after the other, oldest first. */
export class Questions {
  private readonly client: Client;
  private readonly sessionId: string;
  private readonly screen: Screen;
  private readonly open = new Map<string, OpenRequest>();
  /** The one that is on the screen: a line of the person is the answer to this one, never to a later one. */
  private shown: OpenRequest | undefined;

  constructor(client: Client, sessionId: string, screen: Screen) {
    this.client = client;
    this.sessionId = sessionId;
    this.screen = screen;
  }

  /** Says that a person is here who answers, and shows what waits already; or that there is none any more. */
  async attend(attending: boolean): Promise<void> {
    try {
      const { sessionId } = this;
      const { requests } = await this.client.request("attend_requests", { sessionId, attending });
      if (!attending) return;
      for (const request of requests) this.open.set(request.requestId, request);
    } catch (thrown) {
      // A preset in which nobody asks.
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    }
    await this.next();
  }

  get waiting(): boolean {
    return this.shown !== undefined;
  }

  /** Takes note of a question, or of its end by whomever. */
  async hear(event: { type: string }): Promise<void> {
    if (event.type === "approval_request") {
      const request = event as unknown as OpenRequest;
      this.open.set(request.requestId, request);
    } else if (event.type === "approval_answer") {
      const { requestId } = event as unknown as { requestId: string };
      this.open.delete(requestId);
      if (this.shown?.requestId === requestId) this.shown = undefined;
    } else return;
    await this.next();
  }

  /** Answers the question on the screen; what is to be said next in the person's name, if anything. */
  async answer(line: string): Promise<string | undefined> {
    const { shown } = this;
    if (!shown) return undefined;
    const given = read(shown, line);
    if (!given) {
      await this.screen.line(choices(shown));
      return undefined;
    }
    try {
      const { sessionId } = this;
      const { message } = await this.client.request("answer_request", {
        sessionId,
        requestId: shown.requestId,
        ...given,
      });
      return message;
    } catch (thrown) {
      if (codeOf(thrown) !== "REQUEST_CLOSED") throw thrown;
      await this.screen.line("(answered elsewhere, or taken back)");
      return undefined;
    }
  }

  private async next(): Promise<void> {
    if (this.shown) return;
    const [first] = this.open.values();
    this.shown = first;
    if (first) await this.screen.line(visibleText([first.title, ...details(first), choices(first)].join("\n")));
  }
}

/** What is asked about, whole: nobody can agree to what was cut. */
function details({ body = [] }: OpenRequest): string[] {
  return body.map(displayText).filter((text) => text !== "");
}

function choices({ kind, options = [] }: OpenRequest): string {
  if (kind === "input") return "(type the answer)";
  const offered: RequestOption[] = kind === "confirm" ? CONFIRM : options;
  return offered.map(({ value, label }) => `  ${value} = ${label}`).join("\n");
}

const CONFIRM: RequestOption[] = [
  { value: "y", label: "yes" },
  { value: "n", label: "no" },
];

/** The first word is the answer, what follows it the reason; undefined when that is no answer to this. */
function read({ kind, options = [] }: OpenRequest, line: string): { answer: string; reason?: string } | undefined {
  if (kind === "input") return { answer: line };
  const [, word = "", reason = ""] = /^\s*(\S+)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  const offered = kind === "confirm" ? CONFIRM : options;
  const answer = offered.find(({ value }) => value === word.toLowerCase())?.value;
  if (answer === undefined) return undefined;
  // Words behind a yes are no part of what is agreed to: they are for a no, and for whoever reads along.
  return { answer, ...(reason !== "" && { reason }) };
}
