import type { TurnOutcome } from "@scorel/agent/contract";
import { clientName, damageIn, Presence, type SessionProjection, Warnings } from "@scorel/host/client";
import type { Delivered, QueuedMessage, SessionStatus } from "@scorel/host/contract";
import { type AnyEvent, type DisplayAction, type Events, isEvent, type Transients } from "@scorel/kernel";
import type { Output } from "@scorel/kit/terminal/output";
import { displayText } from "@scorel/kit/text/display";
import { lineOf } from "@scorel/kit/text/one-line";
import type {} from "@scorel/requests/contract";
import type { Notice } from "@scorel/workspace/contract";
import type { Shown } from "./choices.ts";
import { costText, drawn, warningIn, wordsOf } from "./drawing.ts";
import { authorOf, idOf, isOwnMessage, isToldElsewhere, otherName, typistOf } from "./events.ts";
import { Lines } from "./lines.ts";
import { briefly, type NowOptions, nowLines, queueText } from "./now.ts";
import { StatusTexts } from "./status-texts.ts";
import { StreamedReply } from "./streamed-reply.ts";
import { ToolLines } from "./tool-lines.ts";
import type { TypedLine } from "./typed-line.ts";

const HOST_STOPPED = "(cancelled: the host was stopped)";

/** Renders a conversation as lines. */
export class Screen extends Lines {
  private readonly client: { readonly clientId: string };
  /** A separate output for the usage of turns, for when stdout is read by a program that wants only the answers. */
  private readonly usage: Output | undefined;
  private readonly warnings = new Warnings();
  private readonly statuses = new StatusTexts();
  private readonly reply = new StreamedReply();
  /** The ids that the user's client has had: a restarted host gives it another one. */
  private readonly ownIds = new Set<string>();
  private readonly tools = new ToolLines();
  /** Id of the reply whose text was printed last. */
  private replied: string | undefined;
  private model: string | undefined;
  /** The other clients that have the session open. */
  private presence = new Presence();
  /** Whether it was printed already that the turn was cancelled. */
  private isCancelTold = false;
  /** The prompt of the displayed question, and whether the question can be answered already. */
  private asking: string | undefined;
  private isAnswerable = false;
  /** Output postponed while a question is displayed, so that it stays readable. */
  private later: (() => Promise<void>)[] | undefined;
  private drawing = false;

  /** `client` is the user's, whose id can change when its host is restarted; `columns` returns the terminal's current width. */
  constructor(
    output: Output,
    client: { readonly clientId: string },
    columns?: () => number | undefined,
    usage?: Output,
  ) {
    super(output, columns);
    this.client = client;
    this.usage = usage;
  }

  /** Sets the input line, which is drawn below the output. */
  over(typed: TypedLine): void {
    this.typed = typed;
    typed.goOn({ isOpen: this.open });
    typed.showStatus(this.statuses.parts());
    if (this.asking === undefined) return;
    typed.ask(this.asking);
    if (this.isAnswerable) typed.takeAnswer();
  }

  /** Displays a question, and postpones other output until no question is open. It can be answered from `takeAnswer` on. */
  async ask({ text, prompt }: Shown): Promise<void> {
    this.asking = prompt;
    this.isAnswerable = false;
    this.later ??= [];
    this.typed?.ask(prompt);
    await this.block(text);
  }

  /** Prompts for the answer to the displayed question. */
  takeAnswer(): void {
    this.isAnswerable = true;
    this.typed?.takeAnswer();
  }

  /** Ends the question and prints the postponed output. */
  async answered(): Promise<void> {
    if (this.asking === undefined) return;
    this.asking = undefined;
    this.typed?.answered();
    if (this.drawing) return;
    this.drawing = true;
    // In order, even when another question or event arrives meanwhile.
    while (this.asking === undefined && this.later?.length) await this.later.shift()?.();
    if (this.asking === undefined) this.later = undefined;
    this.drawing = false;
  }

  /** Prints a reply to what the user has just typed, and lets them type again. */
  async say(text: string): Promise<void> {
    this.typed?.again();
    await this.line(text);
  }

  /** Updates a plugin's status text. */
  async setStatus(status: Transients["plugin_status"]): Promise<void> {
    const change = this.statuses.update(status);
    const seen = this.typed?.showStatus(this.statuses.parts());
    if (change !== undefined && !seen) await this.line(change);
  }

  /** Shows that a session was opened, with its id or the text `said`, and any problems with it. */
  async opened(status: SessionStatus, person: boolean, said?: string): Promise<void> {
    const { sessionId, model, leafId, notices, waiting } = status;
    this.model = model;
    this.ownIds.add(this.client.clientId);
    this.presence = new Presence();
    this.here(status);
    this.statuses.clear();
    this.typed?.showStatus([]);
    const words = said ?? `${leafId === null ? "New session" : "Session"} ${sessionId}`;
    if (person) await this.line(`${words} · ${model === undefined ? "no model" : lineOf(model)} · /help`);
    await this.notices(notices);
    for (const warning of damageIn(status)) await this.line(warning);
    if (!person && waiting !== undefined) await this.line(queueText(waiting, [], false));
  }

  /** Shows the present state of a session, including work in progress. */
  async now(view: SessionProjection, options: Omit<NowOptions, "clientId" | "columns">): Promise<void> {
    const { client, width } = this;
    const lines = nowLines(view, { ...options, clientId: client.clientId, columns: width });
    const show = async () => {
      for (const line of lines) await this.block(line);
      for (const live of view.live)
        if (live.kind === "call") {
          const by = live.typedBy === undefined ? undefined : otherName(live.typedBy, this.ownIds);
          if (!this.tools.isKnown(live.id)) await this.block(this.tools.text(live.display, this.width, by));
        } else {
          this.reply.start(live.id);
          await this.stream({ eventId: live.id, delta: live.text });
        }
    };
    await (this.later ? this.later.push(show) : show());
  }

  /** Lists the queued messages, when no turn runs that would send them. */
  async waiting(queue: readonly QueuedMessage[]): Promise<void> {
    if (queue.length === 0) return;
    const show = () => this.block(queueText(queue.length, queue, false, this.width));
    await (this.later ? this.later.push(show) : show());
  }

  /** Prints the notices that were not shown before. */
  async notices(notices: readonly Notice[]): Promise<void> {
    for (const warning of this.warnings.untold(notices)) await this.line(warning);
  }

  /** Renders an event: text as it streams, other events with the display that their plugin has chosen. */
  async hear(delivered: Delivered): Promise<void> {
    if (this.later) this.later.push(() => this.draw(delivered));
    else await this.draw(delivered);
  }

  private async draw({ event, display }: Delivered): Promise<void> {
    const { type } = event;
    if (isEvent(event, "text_delta")) return this.stream(event);
    if (isEvent(event, "plugin_status")) return this.setStatus(event);
    const warning = this.warnings.heard(event) ?? (type === "notification" ? warningIn(display) : undefined);
    if (warning !== undefined) return this.line(warning);
    if (type === "runtime_start") this.isCancelTold = false;
    if (type === "missed") this.reply.miss();
    if (isEvent(event, "message_start")) this.reply.start(event.eventId);
    if (isEvent(event, "runtime_end")) return this.turnEnded(event);
    this.ownIds.add(this.client.clientId);
    if (isEvent(event, "message") && isOwnMessage(event, this.ownIds)) return this.mentions(event, display);
    const rest = display.display === "bubble" ? this.reply.rest(idOf(event), display.text) : undefined;
    if (rest !== undefined) {
      await this.write(rest);
      return rest === "" ? undefined : this.endLine();
    }
    if (isToldElsewhere(event, this.ownIds, this.model)) return;
    const isCall = isEvent(event, "tool_execution_start") || isEvent(event, "shell_line_start");
    if (isCall && this.tools.isKnown(event.eventId)) return;
    if (isEvent(event, "queue_update")) return this.queued(event, display);
    const isName = isEvent(event, "client_joined") || isEvent(event, "client_left");
    if (isName && !this.isNews(event)) return;
    if (isCall || display.display === "card")
      await this.block(this.tools.text(display, this.width, typistOf(event, this.ownIds)));
    else if (isName) await this.line(lineOf(displayText(display)));
    else if (display.display === "bubble" && display.role === "user")
      await this.block(wordsOf(authorOf(event), display.text, this.width));
    else await this.block(drawn(display, this.width));
  }

  /**
   * Prints the beginnings of messages that another client has queued; a message is printed whole when it is delivered. Prints nothing if
   * messages were only removed.
   */
  private async queued({ clientId }: AnyEvent, display: DisplayAction): Promise<void> {
    if (display.display !== "list") return;
    const by = otherName(clientId, this.ownIds) ?? "";
    await this.line(`(queued by ${by})`);
    for (const { text } of display.items) await this.block(wordsOf(by, briefly(text), this.width));
  }

  /** Updates which clients have the session open, after the connection was lost. */
  here({ present = [] }: SessionStatus): void {
    const others = present.filter(({ clientId }) => !this.ownIds.has(clientId) && clientId !== this.client.clientId);
    this.presence.begin(others.map(({ name }) => name));
  }

  private isNews({ type, name, clientId }: { type: string; name: string; clientId: string }): boolean {
    if (type === "client_joined") return !this.ownIds.has(clientId) && this.presence.joined(name);
    this.presence.left(name);
    return true;
  }

  /** Prints the end of a turn: its result, tokens, cost and time. */
  async turn(outcome: TurnOutcome): Promise<void> {
    if (this.later) this.later.push(() => this.drawTurn(outcome));
    else await this.drawTurn(outcome);
  }

  /** Ends the line of a reply. If the turn was cancelled, says so, and by which other client. */
  private async turnEnded({
    reason,
    hostStopped = false,
    cancelledBy = this.client.clientId,
  }: Transients["runtime_end"]): Promise<void> {
    if (reason !== "cancelled") return this.endLine();
    this.isCancelTold = true;
    if (hostStopped) return this.line(HOST_STOPPED);
    const by = cancelledBy === this.client.clientId ? undefined : (clientName(cancelledBy) ?? "another client");
    await this.line(by === undefined ? "(cancelled)" : `(cancelled by ${by})`);
  }

  private async drawTurn(outcome: TurnOutcome): Promise<void> {
    const { reason, error, stopReason } = outcome;
    // A client that was not connected when the turn ended has not got the event.
    if (reason === "cancelled" && !error && !this.isCancelTold) await this.line(HOST_STOPPED);
    if (error) await this.line(error.message);
    if (stopReason === "length" && !error)
      await this.line(
        "(the answer is cut: it reached the model's output limit; raise maxTokens in [model] for longer ones)",
      );
    // With an input line, the status texts are shown there.
    const cost = costText(outcome, this.typed ? [] : this.statuses.parts());
    if (cost !== undefined && !this.usage) return this.line(cost);
    await this.endLine();
    await this.usage?.write(cost === undefined ? "" : `${cost}\n`);
  }

  /** Prints whether the files that the user's own message mentions were attached: the last lines of its display. */
  private async mentions({ message }: Events["message"], display: DisplayAction): Promise<void> {
    const count = (message.role === "user" && message.meta?.mentions?.length) || 0;
    if (count > 0 && display.display === "bubble") await this.block(display.text.split("\n").slice(-count).join("\n"));
  }

  private async stream({ eventId, delta }: Transients["text_delta"]): Promise<void> {
    const fresh = this.reply.take(eventId, delta);
    if (fresh === "") return;
    const apart = this.open && this.replied !== eventId ? "\n" : "";
    this.replied = eventId;
    await this.write(`${apart}${fresh}`);
  }
}
