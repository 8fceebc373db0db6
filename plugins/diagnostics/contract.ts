/** What a span says beside its name and times; what is undefined is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** A span that has begun. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** Does `work` with this span as the active one, so that spans made meanwhile are its children. */
  during<T>(work: () => T): T;
  /** To be called once; with what was thrown it is marked as failed, and `message` is what is said of it. */
  end(failed?: { name: string; message: string }): void;
}

/** Begins spans below one place. */
export interface SpanParent {
  begin(name: string, attributes?: SpanAttributes): OpenSpan;
}

/** OpenTelemetry for plugins that have nothing else to do with it. */
export interface SpansService {
  /** Below the span of this tool call, else below the active one; undefined where no SDK is registered in this process. */
  below(toolCallId?: string): Promise<SpanParent | undefined>;
}

declare module "@scorel/kernel" {
  interface Services {
    spans: SpansService;
  }
}
