import type { Delivered, ResumeMode } from "@scorel/host/contract";

interface Reply {
  text: string;
  thinking: Record<number, string>;
  calls: Record<string, string>;
}

/**
 * The state that a client shows of a session: its stored events, and running turns, replies and calls. Throws when an
 * event arrives twice.
 */
export class View {
  stored: { id: string; seq: number; type: string }[] = [];
  private turn: { running: boolean; round: number | null } = { running: false, round: null };
  private replies: Record<string, Reply> = {};
  private calls: Record<string, { args: unknown; partial: unknown }> = {};

  /** Clears the state that a client must drop when it subscribes again in this mode. */
  begin(mode: ResumeMode): void {
    if (mode === "stream_resume") return;
    this.turn = { running: false, round: null };
    this.replies = {};
    this.calls = {};
    if (mode === "full_reload") this.stored = [];
  }

  hear({ event: given }: Delivered): void {
    const event = given as any;
    if (event.id !== undefined) this.store(event);
    const reply = this.replies[event.eventId];
    if (event.type === "runtime_start") this.turn.running = true;
    else if (event.type === "runtime_end") this.turn.running = false;
    else if (event.type === "turn_start") this.turn.round = event.turnIndex;
    else if (event.type === "turn_end") this.turn.round = null;
    else if (event.type === "message_start") this.replies[event.eventId] = { text: "", thinking: {}, calls: {} };
    else if (event.type === "text_delta") (reply as Reply).text += event.delta;
    else if (event.type === "thinking_delta") add((reply as Reply).thinking, event.blockIndex, event.delta);
    else if (event.type === "tool_call_delta")
      add((reply as Reply).calls, event.toolCallId, (event.toolName ?? "") + event.delta);
    else if (event.type === "message") delete this.replies[event.id];
    else if (event.type === "message_cancelled") delete this.replies[event.eventId];
    else if (event.type === "tool_execution_start") this.calls[event.toolCallId] = { args: event.args, partial: null };
    else if (event.type === "tool_execution_update") this.update(event);
    else if (event.type === "tool_execution_end") delete this.calls[event.toolCallId];
  }

  /** The whole state as a string, for comparisons. */
  get shown(): string {
    const { stored, turn, replies, calls } = this;
    return JSON.stringify({ stored, turn, replies: sorted(replies), calls: sorted(calls) });
  }

  private store({ id, seq, type }: { id: string; seq: number; type: string }): void {
    if (this.stored.some((event) => event.id === id)) throw new Error(`stored event ${id} came twice`);
    if (seq <= (this.stored.at(-1)?.seq ?? 0)) throw new Error(`stored event ${id} came out of order`);
    this.stored.push({ id, seq, type });
  }

  private update({ toolCallId, partial }: { toolCallId: string; partial: unknown }): void {
    const call = this.calls[toolCallId];
    if (!call) throw new Error(`progress of call ${toolCallId}, which was not announced`);
    call.partial = partial;
  }
}

function add(texts: Record<string, string>, key: string | number, text: string): void {
  texts[key] = (texts[key] ?? "") + text;
}

function sorted(table: Record<string, unknown>): unknown {
  return Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
}
