/** A function of a plugin, and how many of its calls have not settled. */
export interface Activity {
  plugin: string;
  /** The hook, listener or contribution. */
  where: string;
  sessionId: string;
  running: number;
  /** Which of all calls began last has the highest. */
  begun: number;
}

let watched = false;
let calls = 0;
const known = new Set<Activity>();

/** From now on what plugins are called for is kept track of, for whoever watches the process. */
export function watchActivity(): void {
  watched = true;
}

/** What plugins have been called for and has not settled, the latest last. */
export function runningActivities(): Activity[] {
  return [...known].filter(({ running }) => running > 0).sort((a, b) => a.begun - b.begun);
}

/** Something that will be called again and again, known until it is forgotten. */
export function keepActivity(plugin: string, where: string, sessionId: string): Activity {
  const activity = { plugin, where, sessionId, running: 0, begun: 0 };
  known.add(activity);
  return activity;
}
export function forgetActivity(activity: Activity): void {
  known.delete(activity);
}

/** Counts only: this is done for every layer of every hook. */
export function beginRun(activity: Activity): void {
  activity.running++;
  activity.begun = ++calls;
}
export function endRun(activity: Activity): void {
  activity.running--;
}

/** Runs `work`, known as a plugin's until it settles. Without a watcher it costs a look at a variable. */
export function asActivity<T>(plugin: string, where: string, sessionId: string, work: () => T): T {
  if (!watched) return work();
  const activity = keepActivity(plugin, where, sessionId);
  beginRun(activity);
  let settling: PromiseLike<unknown> | undefined;
  try {
    const answer = work();
    if (answer instanceof Promise) settling = answer;
    return answer;
  } finally {
    const over = () => forgetActivity(activity);
    if (settling) settling.then(over, over);
    else over();
  }
}
