import type { OpenSpan, SpanAttributes, SpanParent } from "@scorel/diagnostics/contract";
import { codeOf, messageOf } from "@scorel/kernel";

/** The steps of a run. */
export type StepName =
  | "workspace.create"
  | "workspace.stage"
  | "workspace.run"
  | "workspace.collect"
  | "workspace.inline"
  | "workspace.cleanup";

/** A step in progress. */
export type Step = Pick<OpenSpan, "set">;

/** Records the steps of a run as spans. Without a parent span, it only does the work. */
export class Steps {
  private readonly parent: SpanParent | undefined;
  private readonly hide: (text: string) => string;

  constructor(parent: SpanParent | undefined, hide: (text: string) => string) {
    this.parent = parent;
    this.hide = hide;
  }

  /** Does `work` as a span, which ends when the returned promise settles. Errors are recorded and rethrown. */
  record<T>(name: StepName, attributes: SpanAttributes, work: (step: Step) => T): T {
    const span = this.parent?.begin(name, this.plain(attributes));
    if (!span) return work(ignored);
    const failed = (thrown: unknown): never => {
      span.end({ name: codeOf(thrown, "Error"), message: this.hide(messageOf(thrown)) });
      throw thrown;
    };
    try {
      const answer = span.during(() => work({ set: (more) => span.set(this.plain(more)) }));
      if (!(answer instanceof Promise)) {
        span.end();
        return answer;
      }
      const waiting = answer.then((value: unknown) => {
        span.end();
        return value;
      }, failed);
      return waiting as T;
    } catch (thrown) {
      return failed(thrown);
    }
  }

  private plain(attributes: SpanAttributes): SpanAttributes {
    return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, this.withoutSecrets(value)]));
  }

  private withoutSecrets(value: SpanAttributes[string]): SpanAttributes[string] {
    if (typeof value === "string") return this.hide(value);
    return Array.isArray(value) ? value.map(this.hide) : value;
  }
}

const ignored: Step = { set: () => {} };
