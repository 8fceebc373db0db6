/** Attributes of a span; undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** A span that has started. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** Runs `work` with this span active, so that spans started meanwhile become its children. */
  during<T>(work: () => T): T;
  /** Ends the span; call it once. With `failed`, the span is marked as failed with that name and message. */
  end(failed?: { name: string; message: string }): void;
}

/** Starts spans below one parent. */
export interface SpanParent {
  begin(name: string, attributes?: SpanAttributes): OpenSpan;
}

/** The service `spans`: OpenTelemetry for other plugins. */
export interface SpansService {
  /**
   * Returns the parent for new spans: the span of this tool call, or else the active one. Undefined when no SDK is
   * registered in this process.
   */
  below(toolCallId?: string): Promise<SpanParent | undefined>;
}

declare module "@scorel/kernel" {
  interface Services {
    spans: SpansService;
  }
}
