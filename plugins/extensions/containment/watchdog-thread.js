/**
 * The thread that watches whether the main thread is alive. When the main thread is blocked, it is paused for a moment as by a
 * debugger, and the extension whose code it runs is named in the readable logs of its sessions and on stderr. When the
 * process is asked to end and the main thread cannot do it, this thread does.
 */
const { constants, closeSync, existsSync, openSync, readFileSync, readSync, writeSync } = require("node:fs");
const { signals } = require("node:os").constants;
const { dirname, join } = require("node:path");
const { isatty } = require("node:tty");
const { parentPort, workerData } = require("node:worker_threads");

const { beats, beatMs, sessions, pid } = workerData;
const STUCK_AFTER = 6;
/** The character that a terminal sends for Ctrl-C while the prompt is shown. */
const CTRL_C = 3;
/** Milliseconds that an orderly exit may take. */
const EXIT_MS = 1000;

let last = -1;
let missed = 0;
/** The missed beats at which the main thread is looked at next, and was looked at last. */
let nextLook = STUCK_AFTER;
let lastLook = 0;
/** Ctrl-C and SIGINT: the first one only cancels. */
let interrupts = 0;
/** What the process was asked to exit with. */
let code;
let ending = false;
/** Keys that were typed while the main thread was blocked. */
const typed = [];
let terminal;
/** The latest inspector session; pauses that earlier ones asked for end at once. */
let inspecting;

hearSignals();
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed === 0) nextLook = STUCK_AFTER;
  if (missed < STUCK_AFTER) return giveBack();
  if (missed === nextLook && !ending) lookUntilNamed();
  readTyped();
  // One beat later, as the main thread can be paused only once at a time.
  if (isAsked() && missed > lastLook && !ending) end(code ?? exitCode("SIGINT"));
}, beatMs);

/**
 * No documented API lets a thread receive signals, so this one is started with `--expose-internals`. The main thread receives
 * these signals too, unless it is blocked.
 */
function hearSignals() {
  try {
    const { Signal } = require("internal/test/binding").internalBinding("signal_wrap");
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      const signal = new Signal();
      signal.onsignal = () => heard(name);
      signal.start(signals[name]);
      signal.unref();
    }
  } catch (thrown) {
    writeSync(2, `scorel: an extension that never returns has to be ended by kill -9: ${thrown.message}\n`);
  }
}

function heard(name) {
  if (name === "SIGINT") interrupts++;
  else code ??= exitCode(name);
}

const exitCode = (name) => 128 + signals[name];
const isAsked = () => code !== undefined || interrupts + typed.filter((byte) => byte === CTRL_C).length > 1;

/** While a prompt is shown, Ctrl-C is a character, not a signal. */
function readTyped() {
  if (!isatty(0) || !isInForeground()) return;
  const bytes = Buffer.alloc(4096);
  try {
    terminal ??= openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    for (let count = 1; count > 0; ) {
      count = readSync(terminal, bytes);
      typed.push(...bytes.subarray(0, count));
    }
  } catch (thrown) {
    // EAGAIN: there is nothing more to read. After any other error the terminal is gone, and SIGHUP follows.
    if (thrown.code !== "EAGAIN") forgetTerminal();
  }
}

/** Reading would stop a process in the background. Where it is unknown whether this is one, nothing is read. */
function isInForeground() {
  if (process.platform !== "linux") return false;
  const stat = readFileSync("/proc/self/stat", "latin1");
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === foreground;
}

/** The main thread is alive again: it gets what was typed. */
function giveBack() {
  if (typed.length === 0) return;
  parentPort.postMessage(Buffer.from(typed.splice(0)));
  forgetTerminal();
}

function forgetTerminal() {
  if (terminal !== undefined) closeSync(terminal);
  terminal = undefined;
}

/** Ends the process in the main thread, so that commands end and the terminal is reset; if that fails, kills it. */
function end(status) {
  ending = true;
  setTimeout(() => process.kill(pid, "SIGKILL"), EXIT_MS);
  inMainThread(`globalThis[Symbol.for("scorel.watchdog")].exit(${status})`, () => {});
}

/**
 * Names the extension in whose code the main thread is. At first that may be Scorel's own work, so it is looked at again; so it
 * is, ever later, when nothing answers, as the inspector drops a pause that it gets while another one ends.
 */
function lookUntilNamed() {
  const seconds = (missed * beatMs) / 1000;
  lastLook = missed;
  nextLook = 3 * missed;
  look((frames, known) => {
    nextLook = tell(frames, known, seconds) ? Number.POSITIVE_INFINITY : Math.max(lastLook, missed) + STUCK_AFTER;
  });
}

/** Answers the stack of the main thread and what it knows of its extensions. */
function look(found) {
  inMainThread('globalThis[Symbol.for("scorel.watchdog")].activity()', (frames, answer) =>
    found(frames, JSON.parse(answer.result.value)),
  );
}

/**
 * Pauses the main thread, evaluates an expression in it, and passes its stack and the value to `found`. An earlier call that
 * was not answered is given up; disconnecting it would block this thread, too.
 */
function inMainThread(expression, found) {
  // Loaded late, as most watchdogs never need it.
  const { Session } = require("node:inspector");
  const session = new Session();
  inspecting = session;
  const scripts = new Map();
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    const frames = params.callFrames.map(({ functionName, location }) => ({
      name: functionName,
      file: (scripts.get(location.scriptId) ?? "").replace("file://", ""),
      line: location.lineNumber + 1,
    }));
    const resume = () => {
      session.post("Debugger.resume");
      session.post("Debugger.disable", () => session.disconnect());
    };
    if (inspecting !== session) return resume();
    session.post("Runtime.evaluate", { expression }, (_error, answer) => {
      resume();
      found(frames, answer);
    });
  });
  session.post("Debugger.enable", () => session.post("Debugger.pause"));
}

/** Answers whether the stack names an extension, which is then told. */
function tell(frames, { running, sessions: open, files }, seconds) {
  const culprit = findCulprit(frames, files);
  if (!culprit) return false;
  const { id, frame, at } = culprit;
  const calls = running.filter(({ plugin }) => plugin === id);
  const where = calls.at(-1)?.where ?? (frame.name || "its code");
  const text = `plugin ${id} blocks the process: its code has been running for ${seconds} s in ${where} (${at}); if it never returns, press Ctrl-C twice or end process ${pid}`;
  const ids = calls.length > 0 ? calls.map(({ sessionId }) => sessionId) : open;
  for (const sessionId of new Set(ids)) append(sessionId, `${new Date().toISOString()} error ${text}\n`);
  writeSync(2, `scorel: ${text}\n`);
  return true;
}

function findCulprit(frames, files) {
  for (const frame of frames)
    for (const { id, path, file } of files)
      if (frame.file === file || (/\/index\.\w+$/.test(file) && frame.file.startsWith(`${dirname(file)}/`)))
        return { id, frame, at: `${frame.file.replace(dirname(file), dirname(path))}:${frame.line}` };
  return undefined;
}

/** Writes into the readable log beside a session's log, if the session has one. */
function append(sessionId, line) {
  if (!existsSync(join(sessions, `${sessionId}.jsonl`))) return;
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = openSync(join(sessions, `${sessionId}.log`), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  writeSync(file, line);
  closeSync(file);
}
