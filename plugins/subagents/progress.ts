import { type AnyEvent, isEvent, type Missed, type Transients } from "@scorel/kernel";
import { addUsage, noUsage, type Usage, usageIn } from "@scorel/kit/session/usage";
import type { ToolOutput, ToolUsage } from "@scorel/tools/contract";
import type { TaskDetails } from "./contract.ts";

/** Number of lines of a subagent's work that are shown, and characters per line. */
const LINES = 6;
const CHARACTERS = 1_000;
/** Milliseconds between two updates while text arrives. */
const PAUSE_MS = 100;

/** Shows what a subagent says and does, and its usage so far. */
export class Progress {
  private readonly details: TaskDetails;
  private readonly update: (partial: ToolOutput) => void;
  private said = "";
  private shown = 0;
  private later: NodeJS.Timeout | undefined;
  /** Usage of its calls by id, and of its other events by theirs. */
  private readonly used = new Map<string, unknown>();

  constructor(details: TaskDetails, update: (partial: ToolOutput) => void) {
    this.details = details;
    this.update = update;
  }

  take(event: AnyEvent | Missed): void {
    if (isEvent(event, "text_delta")) this.say(event.delta);
    if (isEvent(event, "tool_execution_start")) this.begin(event.toolName);
    if (isEvent(event, "tool_execution_update")) this.takeCall(event);
    this.takeStored(event);
  }

  /** Shows the current state at once. */
  show(): void {
    this.stop();
    this.shown = performance.now();
    const lines = this.said.trimEnd().split("\n").slice(-LINES);
    this.update({
      content: [{ type: "text", text: [`Session ${this.details.sessionId}`, ...lines].join("\n").trimEnd() }],
      details: this.details,
      usage: this.usage(),
    });
  }

  /** Cancels the next update. */
  stop(): void {
    clearTimeout(this.later);
    this.later = undefined;
  }

  private begin(tool: string): void {
    this.said = this.said.trimEnd();
    this.say(`${this.said === "" ? "" : "\n"}[${tool}]\n`);
  }

  private say(text: string): void {
    this.said = (this.said + text).slice(-CHARACTERS);
    const wait = this.shown + PAUSE_MS - performance.now();
    if (wait <= 0) this.show();
    else this.later ??= setTimeout(() => this.show(), wait);
  }

  /** Adds the usage of the subagent's own subagents, which are still working. */
  private takeCall({ toolCallId, partial }: Transients["tool_execution_update"]): void {
    const { usage } = (partial ?? {}) as { usage?: unknown };
    if (usage) this.note(toolCallId, usage);
  }

  /** Adds the usage in a stored event: of a reply, a summary, or a call, whose usage so far it replaces. */
  private takeStored(event: AnyEvent | Missed): void {
    const usage = usageIn(event)?.usage;
    if (!usage || !("id" in event)) return;
    const message = isEvent(event, "message") ? event.message : undefined;
    this.note(message?.role === "tool_result" ? message.toolCallId : event.id, usage);
  }

  private note(by: string, usage: unknown): void {
    this.used.set(by, usage);
    // At once, so that limits of the parent apply.
    this.show();
  }

  private usage(): ToolUsage {
    const sum = [...this.used.values()].reduce<Usage>(addUsage, noUsage());
    return { ...sum, sessionId: this.details.sessionId };
  }
}
