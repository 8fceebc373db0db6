/** A function of a plugin that has been called and has not settled. */
interface Activity {
  plugin: string;
  /** The hook, listener or contribution. */
  where: string;
  sessionId: string;
}

let running: Set<Activity> | undefined;

/** From now on what plugins are called for is kept track of, for whoever watches the process; begins with nothing. */
export function watchActivity(): ReadonlySet<Activity> {
  running ??= new Set();
  return running;
}

/** Runs `work`, known as a plugin's until it settles. Without a watcher it costs a look at a variable. */
export function asActivity<T>(plugin: string, where: string, sessionId: string, work: () => T): T {
  const ended = beginActivity(plugin, where, sessionId);
  if (!ended) return work();
  let settling: PromiseLike<unknown> | undefined;
  try {
    const answer = work();
    if (answer instanceof Promise) settling = answer;
    return answer;
  } finally {
    if (settling) settling.then(ended, ended);
    else ended();
  }
}

/** The begin of an activity; the answer is its end. Undefined when nobody watches. */
export function beginActivity(plugin: string, where: string, sessionId: string): (() => void) | undefined {
  if (!running) return undefined;
  const activity = { plugin, where, sessionId };
  running.add(activity);
  return () => void running?.delete(activity);
}
