/** Writes a line per OpenTelemetry span (turns, rounds, tools, steps of skills' programs) to `~/.scorel/traces.jsonl`, without an SDK; save it in `~/.scorel/extensions`. */
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, context, type Span, type SpanOptions, type Tracer, trace } from "@opentelemetry/api";
import { definePlugin } from "@scorel/kernel";

const idOf = (bytes: number) => randomBytes(bytes).toString("hex");

/** A span that is written to the file when it ends. */
class WrittenSpan implements Span {
  private readonly row: Record<string, unknown>;
  private readonly file: string;
  private readonly own;

  constructor(file: string, name: string, { attributes, startTime = Date.now() }: SpanOptions, around: Context) {
    const parent = trace.getSpanContext(around);
    this.own = { traceId: parent?.traceId ?? idOf(16), spanId: idOf(8), traceFlags: 1 };
    this.file = file;
    this.row = { name, ...this.own, parentId: parent?.spanId, startTime, attributes: { ...attributes } };
  }
  spanContext = () => this.own;
  isRecording = () => true;
  setAttribute = (key: string, value: unknown) => this.setAttributes({ [key]: value });
  setAttributes(more: object) {
    Object.assign(this.row.attributes as object, more);
    return this;
  }
  setStatus(status: object) {
    this.row.status = status;
    return this;
  }
  recordException(exception: unknown) {
    this.row.exception = exception;
  }
  updateName(name: string) {
    this.row.name = name;
    return this;
  }
  addEvent = () => this;
  addLink = () => this;
  addLinks = () => this;
  end(endTime: unknown = Date.now()) {
    appendFileSync(this.file, `${JSON.stringify({ ...this.row, endTime })}\n`, { mode: 0o600 });
  }
}

export default definePlugin({
  id: "traces",
  name: "Traces",
  version: "1.0.0",
  needs: ["workspace"],
  activate(ctx) {
    const file = join(ctx.workspace.home, ".scorel", "traces.jsonl");
    const startSpan: Tracer["startSpan"] = (name, options = {}, around = context.active()) =>
      new WrittenSpan(file, name, options, around);
    // The last argument is the function to call with the span.
    const startActiveSpan = (name: string, ...given: unknown[]) =>
      (given.at(-1) as (span: Span) => never)(startSpan(name));
    trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) });
  },
});
