/**
 * The thread that watches whether the main one still lives. When it does not, it is held for a moment as by a debugger, and
 * the extension in whose code it is gets named in the readable logs of its sessions and on stderr.
 */
const { constants, closeSync, existsSync, openSync, writeSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { workerData } = require("node:worker_threads");

const { beats, beatMs, sessions, pid } = workerData;
const STUCK_AFTER = 6;

let last = -1;
let missed = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed === STUCK_AFTER) look(tell);
}, beatMs);

/** Answers the stack of the main thread and what it knows of its extensions. */
function look(found) {
  // Most threads never look, and they start beside the first extension.
  const { Session } = require("node:inspector");
  const session = new Session();
  const scripts = new Map();
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => scripts.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    const frames = params.callFrames.map(({ functionName, location }) => ({
      name: functionName,
      file: (scripts.get(location.scriptId) ?? "").replace("file://", ""),
      line: location.lineNumber + 1,
    }));
    const expression = 'globalThis[Symbol.for("scorel.activity")]()';
    session.post("Runtime.evaluate", { expression }, (_error, answer) => {
      session.post("Debugger.resume");
      session.post("Debugger.disable", () => session.disconnect());
      found(frames, JSON.parse(answer.result.value));
    });
  });
  session.post("Debugger.enable", () => session.post("Debugger.pause"));
}

function tell(frames, { running, sessions: open, files }) {
  const culprit = findCulprit(frames, files);
  if (!culprit) return;
  const { id, frame, at } = culprit;
  const calls = running.filter(({ plugin }) => plugin === id);
  const where = calls.at(-1)?.where ?? (frame.name || "its code");
  const seconds = (STUCK_AFTER * beatMs) / 1000;
  const text = `plugin ${id} has let nothing else run for ${seconds} s in ${where} (${at}); if it never returns, end process ${pid}`;
  const ids = calls.length > 0 ? calls.map(({ sessionId }) => sessionId) : open;
  for (const sessionId of new Set(ids)) append(sessionId, `${new Date().toISOString()} error ${text}\n`);
  writeSync(2, `scorel: ${text}\n`);
}

function findCulprit(frames, files) {
  for (const frame of frames)
    for (const { id, path, file } of files)
      if (frame.file === file || (/\/index\.\w+$/.test(file) && frame.file.startsWith(`${dirname(file)}/`)))
        return { id, frame, at: `${frame.file.replace(dirname(file), dirname(path))}:${frame.line}` };
  return undefined;
}

/** Beside the log of a session that has one. */
function append(sessionId, line) {
  if (!existsSync(join(sessions, `${sessionId}.jsonl`))) return;
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = openSync(join(sessions, `${sessionId}.log`), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  writeSync(file, line);
  closeSync(file);
}
