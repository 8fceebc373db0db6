import type { AnyEvent, DisplayAction, EventId } from "@scorel/kernel";
import type { PluginText } from "@scorel/kit/text/attributed";
import type { Delivered } from "../../contract.ts";

/** A message that is arriving. It becomes the row with its `id`, unless it is cancelled. */
export interface LiveReply {
  kind: "reply";
  id: EventId;
  model?: string;
  text: string;
  thinking: string;
  /** The tool calls received so far, with their arguments as (possibly incomplete) JSON text. */
  calls: readonly { toolCallId: string; toolName: string; json: string }[];
  ts: number;
}
/** A tool call. Its result becomes the row with its `id`. */
export interface LiveCall {
  kind: "call";
  id: EventId;
  toolCallId: string;
  toolName: string;
  args: unknown;
  display: DisplayAction;
  /** The client whose user typed the call as a shell line. Such a call is not part of a turn. */
  typedBy?: string;
  /** The tool's latest progress report. */
  progress?: unknown;
  /** The call waits until other calls have ended. */
  isWaiting?: true;
  /** When the call was announced. */
  ts: number;
  /** When the tool began to run, if the call had to wait before. */
  ranAt?: number;
}
export type Live = LiveReply | LiveCall;

/** The current activity of a session. */
export interface Work {
  /** Whether a turn is running. */
  running: boolean;
  /** Index of the running round, from 0. */
  round?: number;
  /** Set while the model is about to be called again after an error. */
  retrying?: {
    attempt: number;
    of: number;
    reason: string;
    /** Time of the next attempt, in milliseconds since 1970. */
    until?: number;
  };
  /** Set while the conversation is being summarized. */
  compacting?: true;
}

/** When work in flight began, in milliseconds since 1970. */
export interface Times {
  turn?: number;
  round?: number;
  waiting?: number;
  compacting?: number;
}

export type LiveChange =
  | { kind: "live"; id: EventId }
  /** Text was appended to an arriving message. */
  | { kind: "text"; id: EventId; delta: string }
  | { kind: "status" };

/** An event with unchecked payload fields, which may have any type. */
// biome-ignore lint/suspicious/noExplicitAny: every field is checked before it is used.
type Fields = AnyEvent & Record<string, any>;

/** Everything in flight: arriving messages, running tools, the running turn, plugins' status texts. Objects are replaced, not modified. */
export class LiveWork {
  private readonly items = new Map<string, Live>();
  private list: readonly Live[] | undefined;
  private readonly texts = new Map<string, PluginText>();
  private readonly shown = new Map<string, readonly string[]>();
  work: Work = { running: false };
  times: Times = {};

  get all(): readonly Live[] {
    this.list ??= [...this.items.values()];
    return this.list;
  }

  /** Status texts by plugin. */
  get statuses(): PluginText[] {
    return [...this.texts.values()];
  }

  /** Panels by plugin. */
  get panels(): { plugin: string; lines: readonly string[] }[] {
    return [...this.shown].map(([plugin, lines]) => ({ plugin, lines }));
  }

  clear(): void {
    this.shown.clear();
    this.items.clear();
    this.list = undefined;
    this.texts.clear();
    this.work = { running: false };
    this.times = {};
  }

  /** Ends the reply or call in flight under an id, because its stored event has arrived. */
  stored(id: EventId): LiveChange[] {
    return [...this.end(id), ...this.endCall(id)];
  }

  /** Applies a transient event. `isStored` tells whether the stored event with an id has already arrived. */
  take(delivered: Delivered, isStored: (id: EventId) => boolean): LiveChange[] {
    const event = delivered.event as Fields;
    const { type, eventId } = event;
    if (type === "text_delta" || type === "thinking_delta" || type === "tool_call_delta") return this.append(event);
    if (type === "message_start") return isStored(eventId) ? [] : this.set(eventId, startedReply(event));
    if (type === "message_cancelled") return this.stored(eventId);
    if (type === "tool_execution_start")
      return isStored(eventId) ? [] : this.set(callKey(event.toolCallId), startedCall(event, delivered.display));
    if (type === "tool_execution_state") return this.setState(callKey(event.toolCallId), event);
    if (type === "tool_execution_update") return this.progress(callKey(event.toolCallId), event);
    if (type === "tool_execution_end") return this.end(callKey(event.toolCallId));
    if (type === "shell_line_start")
      return isStored(eventId) ? [] : this.set(callKey(eventId), startedLine(event, delivered.display));
    if (type === "shell_line_update") return this.progress(callKey(eventId), event);
    if (type === "shell_line_end") return this.end(callKey(eventId));
    if (type === "plugin_status") return this.setText(event);
    if (type === "plugin_panel") return this.setPanel(event.plugin, event.lines);
    this.times = nextTimes(this.times, event);
    const work = nextWork(this.work, event);
    if (!work) return [];
    this.work = work;
    return [{ kind: "status" }];
  }

  private setPanel(plugin: unknown, lines: unknown): LiveChange[] {
    if (Array.isArray(lines)) this.shown.set(textOf(plugin), lines.map(textOf));
    else this.shown.delete(textOf(plugin));
    return [{ kind: "status" }];
  }

  private append({ type, eventId, ...event }: Fields): LiveChange[] {
    const reply = this.items.get(eventId);
    if (reply?.kind !== "reply") return [];
    const delta = textOf(event.delta);
    if (type === "text_delta") {
      this.set(eventId, { ...reply, text: reply.text + delta });
      return [{ kind: "text", id: eventId, delta }];
    }
    if (type === "thinking_delta") return this.set(eventId, { ...reply, thinking: reply.thinking + delta });
    const { toolCallId, toolName } = event;
    const last = reply.calls.at(-1);
    const calls =
      last && last.toolCallId === toolCallId
        ? [
            ...reply.calls.slice(0, -1),
            { ...last, json: last.json + delta, toolName: last.toolName || textOf(toolName) },
          ]
        : [...reply.calls, { toolCallId: textOf(toolCallId), toolName: textOf(toolName), json: delta }];
    return this.set(eventId, { ...reply, calls });
  }

  private progress(key: string, { partial }: Fields): LiveChange[] {
    const call = this.items.get(key);
    return call?.kind === "call" ? this.set(key, { ...call, progress: partial }) : [];
  }

  private setState(key: string, { state, ts }: Fields): LiveChange[] {
    const call = this.items.get(key);
    if (call?.kind !== "call") return [];
    const { isWaiting: _waits, ...others } = call;
    return this.set(key, state === "waiting" ? { ...others, isWaiting: true } : { ...others, ranAt: ts });
  }

  private set(key: string, live: Live): LiveChange[] {
    this.items.set(key, live);
    this.list = undefined;
    return [{ kind: "live", id: live.id }];
  }

  private end(key: string): LiveChange[] {
    const live = this.items.get(key);
    if (!live) return [];
    this.items.delete(key);
    this.list = undefined;
    return [{ kind: "live", id: live.id }];
  }

  private endCall(id: EventId): LiveChange[] {
    for (const [key, live] of this.items) if (live.id === id) return this.end(key);
    return [];
  }

  private setText({ text, shipped, ...event }: Fields): LiveChange[] {
    const plugin = textOf(event.plugin);
    if (text === undefined) this.texts.delete(plugin);
    else this.texts.set(plugin, { plugin, text: textOf(text), ...(shipped === true && { shipped }) });
    return [{ kind: "status" }];
  }
}

function callKey(toolCallId: unknown): string {
  return `call ${textOf(toolCallId)}`;
}

function startedReply({ eventId, model, ts }: Fields): LiveReply {
  return { kind: "reply", id: eventId, ...(model !== undefined && { model }), text: "", thinking: "", calls: [], ts };
}

function startedCall({ eventId, toolCallId, toolName, args, ts }: Fields, display: DisplayAction): LiveCall {
  return { kind: "call", id: eventId, toolCallId, toolName, args, display, ts };
}

/** Creates the call for a shell line that a user has typed. */
function startedLine(event: Fields, display: DisplayAction): LiveCall {
  const { eventId, command, clientId } = event;
  const call = startedCall({ ...event, toolCallId: eventId, toolName: "Bash", args: { command } }, display);
  return { ...call, typedBy: clientId };
}

/** The activity after an event; undefined if the event does not change it. */
function nextWork(work: Work, event: Fields): Work | undefined {
  const { round: _round, ...between } = work;
  const { retrying: _retrying, ...trying } = work;
  const { compacting: _compacting, ...awake } = work;
  if (event.type === "runtime_start") return { ...work, running: true };
  if (event.type === "runtime_end") return { ...between, running: false };
  if (event.type === "turn_start") return { ...work, round: event.turnIndex };
  if (event.type === "turn_end") return between;
  if (event.type === "retry_start") return { ...work, retrying: retryOf(event) };
  if (event.type === "retry_end") return trying;
  if (event.type === "compaction_start") return { ...work, compacting: true };
  return event.type === "compaction_end" ? awake : undefined;
}

function retryOf({ attempt, of, reason, ts, delayMs }: Fields): NonNullable<Work["retrying"]> {
  const until = Number.isFinite(delayMs) ? { until: ts + delayMs } : {};
  return { attempt, of, reason: textOf(reason), ...until };
}

const BEGINS: Readonly<Record<string, keyof Times>> = {
  runtime_start: "turn",
  turn_start: "round",
  turn_wait_start: "waiting",
  compaction_start: "compacting",
};
const ENDS: Readonly<Record<string, keyof Times>> = {
  runtime_end: "turn",
  turn_end: "round",
  turn_wait_end: "waiting",
  compaction_end: "compacting",
};

/** The start times of unfinished work after an event. */
function nextTimes(times: Times, { type, ts }: Fields): Times {
  if (Object.hasOwn(BEGINS, type)) return { ...times, [BEGINS[type] as keyof Times]: ts };
  if (!Object.hasOwn(ENDS, type)) return times;
  const { [ENDS[type] as keyof Times]: _ended, ...others } = times;
  return others;
}

/** Returns a string, or "" for any other value: payloads come from a host that is not trusted. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
