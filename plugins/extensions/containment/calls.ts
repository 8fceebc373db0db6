/** Calls of one function of an extension. */
export interface Call {
  plugin: string;
  /** The hook, listener or contribution. */
  where: string;
  sessionId: string;
}

/** The calls of all extensions that have not returned: each was made by the one before it. */
export const stack: Call[] = [];
let count = 0;

/** The same, with those calls of it that have returned a promise which has not settled. */
export class RepeatedCall implements Call {
  readonly plugin: string;
  readonly where: string;
  readonly sessionId: string;
  /** Of two calls, the one that returned its promise later has the higher number. */
  nth = 0;
  private readonly among: Set<RepeatedCall>;
  private settling = 0;

  /** It is `among` the others while one of its promises has not settled. */
  constructor({ plugin, where, sessionId }: Call, among: Set<RepeatedCall>) {
    this.plugin = plugin;
    this.where = where;
    this.sessionId = sessionId;
    this.among = among;
  }

  /** Runs `work` with what it is given; it counts as this call until it settles. */
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
