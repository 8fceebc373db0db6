import type { TurnOutcome } from "@scorel/agent/contract";
import { damageIn, type Output, plainText, Warnings } from "@scorel/host/client";
import type { Delivered, Notice, SessionStatus } from "@scorel/host/contract";
import { type AnyEvent, type DisplayAction, displayText, type Events, type Transients } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { wrapped } from "./wrap.ts";

const SHOWN_LINES = 12;

/** What only a person's own line or command does, which is answered. */
const OWN = new Set(["queue_update", "rewind", "branch"]);

type Card = Extract<DisplayAction, { display: "card" }>;

/** What a conversation looks like in lines. Nothing that a model or a tool says moves the cursor or sets colours. */
export class Screen {
  private readonly output: Output;
  private readonly clientId: string;
  private readonly columns: (() => number | undefined) | undefined;
  private readonly warnings = new Warnings();
  /** The message whose text is on the screen already, as far as it has come. */
  private streamed: string | undefined;
  private model: string | undefined;
  /** The tool whose line was drawn last. */
  private named: string | undefined;
  /** The cursor stands behind text. */
  private open = false;

  /** `columns` tells how wide the terminal is now. */
  constructor(output: Output, clientId: string, columns?: () => number | undefined) {
    this.output = output;
    this.clientId = clientId;
    this.columns = columns;
  }

  /** One line or more, after whatever stood on the screen. */
  async line(text: string): Promise<void> {
    await this.write(`${this.open ? "\n" : ""}${text}\n`);
    this.open = false;
  }

  /** What a command says: tables, above all. */
  async table(text: string): Promise<void> {
    await this.line(wrapped(text, this.columns?.()));
  }

  /** Puts text into the clipboard, by the sequence that terminals have for it; it works over ssh, too. */
  async copy(text: string): Promise<void> {
    await this.output.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  /** Takes note of the session that opened; says what is wrong with it, and to a person which one it is. */
  async opened(status: SessionStatus, person: boolean): Promise<void> {
    const { sessionId, model, leafId, notices } = status;
    this.model = model;
    if (person) await this.line(`${leafId === null ? "New session" : "Session"} ${sessionId} · ${model} · /help`);
    await this.notices(notices);
    for (const warning of damageIn(status)) await this.line(warning);
    if (status.waiting !== undefined)
      await this.line(`(${status.waiting} waiting from before; sent with your next message)`);
  }

  /** Says those of the notices that were not said yet. */
  async notices(notices: readonly Notice[]): Promise<void> {
    for (const warning of this.warnings.untold(notices)) await this.line(warning);
  }

  /** Draws an event: text as it streams, everything else by the display form that its plugin gave it. */
  async hear({ event, display }: Delivered): Promise<void> {
    const { type } = event;
    if (type === "text_delta") return this.stream(event as AnyEvent & Transients["text_delta"]);
    const warning = this.warnings.heard(event);
    if (warning !== undefined) return this.line(warning);
    if (type === "message" && this.isOnScreen(event as AnyEvent & Events["message"])) return;
    if (this.isTold(event as AnyEvent)) return;
    // Only a card has a state that changes; anything else would be drawn twice.
    if (type === "tool_execution_start" && display.display !== "card") return;
    const text = display.display === "card" ? this.card(display) : drawn(display);
    if (text !== "") await this.line(text);
  }

  async turn({ reason, error, stopReason, usage, durationMs }: TurnOutcome): Promise<void> {
    if (reason === "cancelled") await this.line("(cancelled; what had arrived is kept)");
    if (error) await this.line(`${error.code}: ${error.message}`);
    if (stopReason === "length" && !error)
      await this.line(
        "(the answer is cut: it reached the model's output limit; raise maxTokens in [model] for longer ones)",
      );
    const input = usage.input + usage.cacheRead + usage.cacheWrite;
    if (input + usage.output === 0) return this.endLine();
    const seconds = (durationMs / 1000).toFixed(1);
    await this.line(`[${input} tokens in, ${usage.output} out · $${usage.cost.total.toFixed(4)} · ${seconds} s]`);
  }

  private async endLine(): Promise<void> {
    if (this.open) await this.write("\n");
    this.open = false;
  }

  /** Ends a line that the user left. */
  async newline(): Promise<void> {
    await this.write("\n");
  }

  private async stream({ eventId, delta }: Transients["text_delta"]): Promise<void> {
    if (this.open && this.streamed !== eventId) await this.write("\n");
    this.streamed = eventId;
    await this.write(delta);
    this.open = !delta.endsWith("\n");
  }

  /** Text that streamed in, and what this user typed. */
  private isOnScreen(event: AnyEvent & Events["message"] & { id?: string }): boolean {
    if (event.message.role === "user") return event.clientId === this.clientId;
    return event.message.role === "assistant" && event.id === this.streamed;
  }

  /** What is said elsewhere: by the turn's outcome, when a line was queued, by a command, when the session was opened. */
  private isTold(event: AnyEvent): boolean {
    // A question is asked by its own words.
    if (event.type === "turn_error" || event.type === "approval_request") return true;
    if (OWN.has(event.type)) return event.clientId === this.clientId;
    if (event.type !== "session_info") return false;
    const { model } = (event as AnyEvent & Events["session_info"]).changes;
    return model !== undefined && model === this.model;
  }

  /** A tool is named when it starts; its answer follows, under its name again when others came between. */
  private card(card: Card): string {
    const { title, status } = card;
    const named = this.named === title;
    this.named = title;
    if (status === "running") return `· ${title}`;
    const head = status === "error" ? `· failed: ${title}\n` : named ? "" : `· ${title}\n`;
    return `${head}${answer(card)}`.trimEnd();
  }

  private write(text: string): Promise<void> {
    return this.output.write(plainText(text));
  }
}

function drawn(display: DisplayAction): string {
  if (display.display === "bubble" && display.role === "user") return `> ${display.text}`;
  return shortened(displayText(display));
}

/** What a tool answered, set in; a diff is shown whole, as it is what a person must see. */
function answer({ text, body = [] }: Card): string {
  return [shortened(text), ...body.map(displayText)]
    .filter((part) => part !== "")
    .join("\n")
    .replace(/^/gm, "  ")
    .trimEnd();
}

function shortened(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= SHOWN_LINES) return lines.join("\n");
  return [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more lines`].join("\n");
}
