/** A call of a function of an extension that has not settled. */
export interface Call {
  plugin: string;
  /** The hook, listener or contribution. */
  where: string;
  sessionId: string;
}

/** Calls that have not returned: each was made by the one before it. */
const stack: Call[] = [];
/** Calls that have returned a promise, in the order in which they did. */
const settling = new Set<Call>();

/** The calls of extensions that have not settled, the latest last, for whoever watches the process. */
export function runningCalls(): Call[] {
  return [...settling, ...stack];
}

/** Runs `work` with what it is given; it counts as this call until it settles. */
export function runCall<A extends unknown[], T>(call: Call, work: (...given: A) => T, ...given: A): T {
  stack.push(call);
  try {
    const answer = work(...given);
    return answer instanceof Promise ? untilSettled({ ...call }, answer) : answer;
  } finally {
    stack.pop();
  }
}

function untilSettled<P extends Promise<unknown>>(call: Call, answer: P): P {
  settling.add(call);
  const over = () => void settling.delete(call);
  answer.then(over, over);
  return answer;
}
