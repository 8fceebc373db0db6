import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Span, SpanOptions, Tracer } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import type {} from "@scorel/agent/contract";
import type { AnyEvent, BaseContext, Missed, Transients } from "@scorel/kernel";
import type { OpenSpan, SpanAttributes, SpanParent } from "./contract.ts";

type Told<T extends keyof Transients> = AnyEvent & Transients[T];

/** A message of the diagnostics channel `scorel.hook`, published when a layer of a hook has ended. Times are in milliseconds. */
interface HookTrace {
  sessionId: string;
  hook: string;
  plugin: string;
  startedAt: number;
  endedAt: number;
  error?: string;
}

/**
 * Creates a session's spans from its events: `scorel.turn` > `scorel.round` > `scorel.tool` and `scorel.hook`. Spans
 * contain names, counts and durations only.
 */
export class Spans {
  private readonly tracer: Tracer;
  private readonly sessionId: string;
  private readonly tools = new Map<string, Span>();
  private turn: Span | undefined;
  private round: Span | undefined;

  constructor(ctx: BaseContext, version: string) {
    this.sessionId = ctx.session.id;
    this.tracer = api.trace.getTracer("scorel", version);
    subscribe("scorel.hook", this.layer);
  }

  hear(event: AnyEvent | Missed): void {
    if (event.type === "missed") return;
    handlers[event.type]?.call(this, event as never);
  }

  close(): void {
    unsubscribe("scorel.hook", this.layer);
    this.endAll(Date.now());
  }

  begin(event: AnyEvent): void {
    this.turn = this.span("scorel.turn", event.ts, undefined, { "scorel.session.id": this.sessionId });
  }

  end({ ts, reason, error }: Told<"runtime_end">): void {
    this.turn?.setAttribute("scorel.turn.reason", reason);
    if (error !== undefined) this.turn?.setStatus({ code: api.SpanStatusCode.ERROR });
    this.endAll(ts);
  }

  beginRound({ ts, turnIndex }: Told<"turn_start">): void {
    this.round = this.span("scorel.round", ts, this.turn, { "scorel.round.index": turnIndex });
  }

  endRound({ ts, usage, stopReason }: Told<"turn_end">): void {
    if (stopReason !== undefined) this.round?.setAttribute("gen_ai.response.finish_reasons", [stopReason]);
    if (usage) {
      this.round?.setAttribute("gen_ai.usage.input_tokens", usage.input + usage.cacheRead + usage.cacheWrite);
      this.round?.setAttribute("gen_ai.usage.output_tokens", usage.output);
    }
    this.round?.end(ts);
    this.round = undefined;
  }

  beginTool({ ts, toolCallId, toolName }: Told<"tool_execution_start">): void {
    this.tools.set(toolCallId, this.span("scorel.tool", ts, this.round ?? this.turn, { "gen_ai.tool.name": toolName }));
  }

  endTool({ ts, toolCallId, isError }: Told<"tool_execution_end">): void {
    const span = this.tools.get(toolCallId);
    if (isError) span?.setStatus({ code: api.SpanStatusCode.ERROR });
    span?.end(ts);
    this.tools.delete(toolCallId);
  }

  /** Returns the parent for other plugins' spans. */
  below(toolCallId: string | undefined): SpanParent {
    const parent = toolCallId === undefined ? undefined : this.tools.get(toolCallId);
    return {
      begin: (name, attributes = {}) =>
        openSpan(this.span(name, Date.now(), parent, definite({ ...attributes, "scorel.session.id": this.sessionId }))),
    };
  }

  private readonly layer = (message: unknown): void => {
    const trace = message as HookTrace;
    if (trace.sessionId !== this.sessionId) return;
    const attributes = { "scorel.hook.name": trace.hook, "scorel.plugin.id": trace.plugin };
    const span = this.span("scorel.hook", trace.startedAt, this.round ?? this.turn, attributes);
    if (trace.error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end(trace.endedAt);
  };

  private span(name: string, startTime: number, parent: Span | undefined, attributes: SpanOptions["attributes"]): Span {
    const context = parent ? api.trace.setSpan(api.context.active(), parent) : api.context.active();
    return this.tracer.startSpan(name, { startTime, ...(attributes && { attributes }) }, context);
  }

  private endAll(ts: number): void {
    for (const span of [...this.tools.values(), this.round, this.turn]) span?.end(ts);
    this.tools.clear();
    this.round = undefined;
    this.turn = undefined;
  }
}

function openSpan(span: Span): OpenSpan {
  return {
    set: (attributes) => void span.setAttributes(definite(attributes)),
    during: (work) => api.context.with(api.trace.setSpan(api.context.active(), span), work),
    end(failed) {
      if (failed !== undefined) {
        span.recordException(failed);
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: failed.message });
      }
      span.end();
    },
  };
}

function definite(attributes: SpanAttributes): NonNullable<SpanOptions["attributes"]> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

const { begin, end, beginRound, endRound, beginTool, endTool } = Spans.prototype;
const handlers: Record<string, ((this: Spans, event: never) => void) | undefined> = {
  runtime_start: begin,
  runtime_end: end,
  turn_start: beginRound,
  turn_end: endRound,
  tool_execution_start: beginTool,
  tool_execution_end: endTool,
};
