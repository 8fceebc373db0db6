/** Calls of one function of an extension. */
export interface Call {
  plugin: string;
  /** The hook, listener or contribution. */
  where: string;
  sessionId: string;
}

/** The calls of all extensions that have not returned yet. Each was made during the previous one. */
export const stack: Call[] = [];
let count = 0;

/** A function of an extension that is called repeatedly, and tracks the promises it returned until they settle. */
export class RepeatedCall implements Call {
  readonly plugin: string;
  readonly where: string;
  readonly sessionId: string;
  /** Orders the calls by when they returned their promises; higher is later. */
  nth = 0;
  private readonly among: Set<RepeatedCall>;
  private settling = 0;

  /** The call is in the set `among` while one of its promises has not settled. */
  constructor({ plugin, where, sessionId }: Call, among: Set<RepeatedCall>) {
    this.plugin = plugin;
    this.where = where;
    this.sessionId = sessionId;
    this.among = among;
  }

  /** Calls `work` with `given`. Until it settles, it counts as part of this call. */
  run<A extends unknown[], T>(work: (...given: A) => T, ...given: A): T {
    stack.push(this);
    try {
      const answer = work(...given);
      if (answer instanceof Promise) this.follow(answer);
      return answer;
    } finally {
      stack.pop();
    }
  }

  private follow(answer: Promise<unknown>): void {
    this.nth = ++count;
    if (this.settling++ === 0) this.among.add(this);
    answer.then(this.over, this.over);
  }

  private readonly over = (): void => {
    if (--this.settling === 0) this.among.delete(this);
  };
}
