/**
 * The cost of the full-screen application: time until its first screen, time for a key and for each word that arrives,
 * memory, and idle load. The first screen is also compared with that of pi, if SCOREL_BENCH_PI names it or it is on the
 * PATH.
 */
import { setTimeout as sleep } from "node:timers/promises";
// @ts-expect-error: a plain module without types
import { bin, createHome, run } from "./measure.mjs";
import { findPi, PI_INPUT_LINE, PI_OFFLINE, piRow } from "./pi.ts";
import { FIRST_QUESTION, Terminal, writeSession } from "./terminal-stage.ts";

const FIRST_RUNS = 9;
const RUNS = 3;
const KEYS = 300;
/** Milliseconds after everything is shown until work in the background is done. */
const SETTLED_MS = 2_000;
/** Words a second, and the numbers of the first and last measured word. */
const PER_SECOND = 100;
const [FROM, TO] = [100, 600];
const model = process.env.BENCH_MODEL ?? "";

/** A program that shows an input line at once and echoes each key. */
const bare = [
  process.execPath,
  "-e",
  'process.stdin.setRawMode(true).pipe(process.stdout);process.stdout.write("──>")',
];
const application = (...more: string[]) => [process.execPath, bin, ...more];
/** The input line of the application. */
const INPUT_LINE = /─[\s\S]*?>/;

const least = (values: readonly number[]) => Math.min(...values);
const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number;

/** Time until the first screen, and processor time until then. */
async function first(
  home: string,
  command: readonly string[],
  inputLine = INPUT_LINE,
): Promise<{ ms: number; processor: number }> {
  await using terminal = new Terminal(home, command, inputLine === PI_INPUT_LINE ? PI_OFFLINE : {});
  const at = await terminal.shows(inputLine);
  return { ms: at - terminal.started, processor: terminal.processor };
}

/** Starts the application, and leaves it with Ctrl+D. */
async function leave(home: string): Promise<void> {
  await using terminal = new Terminal(home, application());
  await terminal.shows(/plain/);
  terminal.type("\u0004");
  await terminal.ended;
}

async function firstRows(): Promise<object[]> {
  const own = createHome(model);
  try {
    const unknown = await first(own.home, application());
    // A command that exits by itself saves its compiled code for the next one, in a home with sessions.
    run(process.execPath, [bin, "-p", "go"], { home: own.home });
    await leave(own.home);
    const ours: { ms: number; processor: number }[] = [];
    const others: typeof ours = [];
    const theirs: number[] = [];
    const pi = findPi(process.env);
    // The first start of pi creates files.
    if (pi !== undefined) await first(own.home, [pi], PI_INPUT_LINE);
    for (let n = 0; n < FIRST_RUNS; n++) {
      ours.push(await first(own.home, application()));
      others.push(await first(own.home, bare));
      if (pi !== undefined) theirs.push((await first(own.home, [pi], PI_INPUT_LINE)).ms);
    }
    const row = (of: (each: { ms: number; processor: number }) => number) => ({
      value: least(ours.map(of)),
      baseline: least(others.map(of)),
    });
    return [
      { work: "terminal: first picture, the first time", value: unknown.ms, baseline: row(({ ms }) => ms).baseline },
      { work: "terminal: first picture", ...row(({ ms }) => ms), limit: 250 },
      piRow(pi, least(ours.map(({ ms }) => ms)), theirs),
      { work: "terminal: first picture, CPU", ...row(({ processor }) => processor) },
    ];
  } finally {
    own.remove();
  }
}

/** Runs `work` with the application in a session with this many turns, while words arrive. */
async function withWords<R>(turns: number, work: (terminal: Terminal) => Promise<R>): Promise<R> {
  const { home, remove } = createHome(model, { id: `paced-${PER_SECOND}` });
  try {
    const sessionId = writeSession(home, turns);
    await using terminal = new Terminal(home, application("--session", sessionId));
    await terminal.shows(/% of context/);
    terminal.type("go\r");
    await terminal.shows(new RegExp(`w${FROM}\\b`));
    return await work(terminal);
  } finally {
    remove();
  }
}

/** Times for keys, typed at moments that are independent of the arriving words. */
async function keys(terminal: Terminal): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < KEYS; n++) {
    times.push(await terminal.echo(n % 2 === 0 ? "Q" : "Z"));
    await sleep(7 + ((n * 13) % 29));
  }
  return times;
}

async function bareKeys(): Promise<number[]> {
  const { home, remove } = createHome(model);
  try {
    await using terminal = new Terminal(home, bare);
    await terminal.shows(INPUT_LINE);
    return await keys(terminal);
  } finally {
    remove();
  }
}

async function keyRows(): Promise<object[]> {
  const baseline = await bareKeys();
  const runs: number[][] = [];
  for (let n = 0; n < RUNS; n++) runs.push(await withWords(500, keys));
  const row = (part: number) => ({
    value: least(runs.map((times) => share(times, part))),
    baseline: share(baseline, part),
  });
  const work = "terminal: a key, in 500 turns while 100 words/s arrive";
  return [
    { work: `${work}: p50`, ...row(0.5) },
    { work: `${work}: p99`, ...row(0.99), limit: 16 },
  ];
}

/** Microseconds of processor time, and bytes sent to the terminal, for each word. */
async function words(turns: number): Promise<{ processor: number; bytes: number }> {
  return withWords(turns, async (terminal) => {
    const { processor, bytes } = terminal;
    await terminal.shows(new RegExp(`w${TO}\\b`));
    const count = TO - FROM;
    return { processor: ((terminal.processor - processor) * 1e3) / count, bytes: (terminal.bytes - bytes) / count };
  });
}

async function wordRows(): Promise<object[]> {
  const few: { processor: number; bytes: number }[] = [];
  const many: typeof few = [];
  for (let n = 0; n < RUNS; n++) {
    few.push(await words(10));
    many.push(await words(1_000));
  }
  const allowed = 3 * Buffer.byteLength(" w123") + 64;
  const [value, baseline] = [many, few].map((runs) => least(runs.map(({ processor }) => processor)));
  return [
    { work: "terminal: a word in 1,000 turns, CPU, against 10", value, baseline, unit: "us", aim: 1.5 },
    {
      work: "terminal: a word, sent to the terminal, against 3 × its bytes + 64",
      value: least(many.map(({ bytes }) => bytes)),
      baseline: allowed,
      unit: "B",
      aim: 1,
    },
  ];
}

/** Scrolls to the first message, for which the whole session must be loaded. */
async function toBeginning(terminal: Terminal): Promise<void> {
  const isThere = terminal.shows(new RegExp(FIRST_QUESTION)).then(() => true);
  while (!(await Promise.race([isThere, sleep(250).then(() => false)]))) terminal.type("\u001b[1;5H");
}

/** Memory in megabytes with a session of this many turns, once all is loaded. */
async function remembered(turns: number): Promise<number> {
  const { home, remove } = createHome(model);
  try {
    const args = turns === 0 ? [] : ["--session", writeSession(home, turns)];
    await using terminal = new Terminal(home, application(...args));
    await terminal.shows(turns === 0 ? /plain/ : /% of context/);
    if (turns > 0) await toBeginning(terminal);
    await sleep(SETTLED_MS);
    return terminal.memory;
  } finally {
    remove();
  }
}

async function memoryRows(): Promise<object[]> {
  const [empty, long]: number[][] = [[], []];
  for (let n = 0; n < RUNS; n++) {
    empty?.push(await remembered(0));
    long?.push(await remembered(1_000));
  }
  const [value, more] = [least(empty ?? []), least(long ?? [])];
  return [
    { work: "terminal: memory, idle", value, unit: "MB", limit: 90 },
    { work: "terminal: memory, all of 1,000 turns above none", value: more - value, unit: "MB", limit: 120 },
  ];
}

async function idleRows(): Promise<object[]> {
  const { home, remove } = createHome(model);
  try {
    await using terminal = new Terminal(home, application());
    await terminal.shows(/plain/);
    await sleep(SETTLED_MS);
    const { processor, bytes, ms } = await terminal.during(5_000);
    return [
      { work: "terminal: idle for 5 s, sent", value: bytes, unit: "B", limit: 0 },
      { work: "terminal: idle for 5 s, CPU", value: (processor / ms) * 100, unit: "%", limit: 0.5 },
    ];
  } finally {
    remove();
  }
}

const rows: object[] = [];
for (const part of [firstRows, keyRows, wordRows, memoryRows, idleRows]) rows.push(...(await part()));
console.log(JSON.stringify(rows));
