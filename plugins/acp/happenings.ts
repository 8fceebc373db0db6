import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { Warnings } from "@scorel/host/client";
import type { Delivered, SessionGlance } from "@scorel/host/contract";
import type { AnyEvent } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Editor } from "./editor.ts";
import { argsOf } from "./tool-calls.ts";

/** Shows events that are not part of the conversation: notices, compaction, the title, tokens and cost. */
export class Happenings {
  private readonly editor: Editor;
  private readonly sessionId: string;
  readonly warnings = new Warnings();
  private glance: SessionGlance = {};
  private usage = "";
  private compactions = 0;

  constructor(editor: Editor, sessionId: string) {
    this.editor = editor;
    this.sessionId = sessionId;
  }

  async hear(delivered: Delivered): Promise<void> {
    const { event } = delivered;
    if (event.type === "status_change") await this.look(argsOf((event as { changes?: unknown }).changes));
    else if (event.type === "session_info") await this.entitle(argsOf((event as { changes?: unknown }).changes));
    else if (event.type === "compaction_start" || event.type === "compaction_end") await this.compact(delivered);
    else await this.warn(delivered);
  }

  /** Applies changes to the session's status. A field that is null is now unknown. */
  async look(changes: object): Promise<void> {
    this.glance = { ...this.glance, ...changes };
    const { context, spent } = this.glance;
    if (!context?.window) return;
    const cost = spent?.cost === undefined ? {} : { cost: { amount: spent.cost, currency: "USD" } };
    const update: SessionUpdate = {
      sessionUpdate: "usage_update",
      used: Math.round(context.tokens),
      size: context.window,
      ...cost,
    };
    const usage = JSON.stringify(update);
    if (usage === this.usage) return;
    this.usage = usage;
    await this.editor.update(this.sessionId, update);
  }

  private async entitle({ name, title }: Readonly<Record<string, unknown>>): Promise<void> {
    const given = name ?? title;
    if (typeof given !== "string" || given === "") return;
    await this.editor.update(this.sessionId, { sessionUpdate: "session_info_update", title: lineOf(given) });
  }

  private async compact({ event, display }: Delivered): Promise<void> {
    const { type, compacted, cancelled } = event as AnyEvent & { compacted?: boolean; cancelled?: boolean };
    const isBegin = type === "compaction_start";
    if (isBegin) this.compactions++;
    const text = displayText(display);
    if (!this.editor.can.session?.compaction)
      return text === "" ? undefined : this.editor.notice(this.sessionId, "info", text);
    const ended = compacted ? "completed" : cancelled ? "cancelled" : "failed";
    await this.editor.update(this.sessionId, {
      sessionUpdate: "compaction_update",
      compactionId: `compaction-${this.compactions}`,
      status: isBegin ? "in_progress" : ended,
      ...(ended === "failed" && !isBegin && text !== "" && { error: lineOf(text) }),
    });
  }

  private async warn({ event, display }: Delivered): Promise<void> {
    const warning = this.warnings.heard(event)?.replace(/^warning: /, "");
    if (warning !== undefined) return this.editor.notice(this.sessionId, "warning", warning);
    if (display.display !== "notice" || !isTold(event as AnyEvent, display.level)) return;
    await this.editor.notice(this.sessionId, display.level, display.text);
  }
}

/** Stored events that an editor gets in another form: messages as such, and the reason of a failed turn as the answer to its prompt. */
const ELSEWHERE = new Set(["message", "turn_failed"]);

/** Whether an event is shown to people: messages of plugins, waits, a log that cannot be written, and stored warnings. */
function isTold(event: AnyEvent, level: string): boolean {
  const { type } = event;
  if (["notification", "storage_status", "turn_wait_start", "retry_start"].includes(type)) return true;
  return "id" in event && level !== "info" && !ELSEWHERE.has(type);
}
