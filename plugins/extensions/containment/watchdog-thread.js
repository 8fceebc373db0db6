/**
 * The watchdog thread. When the main thread is blocked, it pauses that thread like a debugger and reports the extension whose
 * code runs, in the readable logs of its sessions and on stderr. When the process gets a signal to end and the main thread
 * cannot do it, this thread ends it.
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
/** Maximum milliseconds for an orderly exit. On a busy machine the main thread may be paused late. */
const EXIT_MS = 2500;

let last = -1;
let missed = 0;
/** The numbers of missed beats at which the main thread is examined next, and was examined last. */
let nextLook = STUCK_AFTER;
let lastLook = 0;
/** Beats to wait for an answer before the main thread is examined again. */
let patience = STUCK_AFTER;
/** The number of Ctrl-C and SIGINT; the first one only cancels. */
let interrupts = 0;
/** The exit code with which the process was asked to end. */
let code;
let ending = false;
/** Keys typed while the main thread was blocked. */
const typed = [];
let terminal;
/** The latest inspector session; pauses requested by earlier ones are resumed at once. */
let inspecting;

hearSignals();
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed === 0) nextLook = patience = STUCK_AFTER;
  if (missed < STUCK_AFTER) return giveBack();
  if (missed === nextLook && !ending) lookUntilNamed();
  readTyped();
  // One beat later, because only one pause at a time is possible.
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

/** Whether the terminal may be read. Reading would stop a background process, so false if that is unknown. */
function isInForeground() {
  if (process.platform !== "linux") return false;
  const stat = readFileSync("/proc/self/stat", "latin1");
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group === foreground;
}

/** Sends the typed keys to the main thread after it has recovered. */
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
 * Reports the extension whose code the main thread runs. The thread is examined again while it runs Scorel's own code, and, at
 * growing intervals, when the inspector does not answer, as it drops a pause that is requested while another one ends.
 */
function lookUntilNamed() {
  const seconds = (missed * beatMs) / 1000;
  lastLook = missed;
  nextLook = missed + patience;
  patience *= 2;
  look((frames, known) => {
    patience = STUCK_AFTER;
    nextLook = tell(frames, known, seconds) ? Number.POSITIVE_INFINITY : Math.max(lastLook, missed) + STUCK_AFTER;
  });
}

/** Passes the stack of the main thread to `found`, with the running calls, sessions and files of extensions. */
function look(found) {
  inMainThread('globalThis[Symbol.for("scorel.watchdog")].activity()', (frames, answer) =>
    found(frames, JSON.parse(answer.result.value)),
  );
}

/**
 * Pauses the main thread, evaluates an expression in it, and passes its stack and the value to `found`. An earlier call
 * without an answer is abandoned, since disconnecting it would block this thread, too.
 */
function inMainThread(expression, found) {
  // Loaded lazily, since most watchdogs never need it.
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

/** Reports the extension that the stack names, and returns whether there is one. */
function tell(frames, { running, sessions: open, files }, seconds) {
  const culprit = findCulprit(frames, files);
  if (!culprit) return false;
  const { id, frame, at } = culprit;
  const calls = running.filter(({ plugin }) => plugin === id);
  const where = calls.at(-1)?.where ?? (frame.name || "its code");
  const text = `plugin ${id} blocks the process: its code has been running for ${seconds} s in ${where} (${at}); if it never returns, press Ctrl-C twice or end process ${pid}, and correct the file or move it away`;
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

/** Writes to the readable log beside a session's log, if the session has one. */
function append(sessionId, line) {
  if (!existsSync(join(sessions, `${sessionId}.jsonl`))) return;
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = openSync(join(sessions, `${sessionId}.log`), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  writeSync(file, line);
  closeSync(file);
}
