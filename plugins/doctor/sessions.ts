import type { SessionHealth } from "@scorel/host/contract";
import { shellWord } from "@scorel/kit/text/shell-word";
import { sizeText } from "@scorel/kit/text/size";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding } from "./contract.ts";

const LATEST = 5;
const SHOWN_DAMAGE = 3;

/** Checks the files of the sessions written last. */
export async function checkSessions({ host, sessionLogs }: CheckContext): Promise<Part> {
  if (!host || !sessionLogs) return { findings: [] };
  const client = host.connect();
  try {
    const { total, sessions } = await client.request("check_sessions", { limit: LATEST });
    const findings = [...sessions.flatMap(aboutSession), ...aboutOthers(sessions)];
    const bad = findings.some(({ severity }) => severity === "error");
    const what = verdict(total, sessions);
    if (!bad) findings.push({ code: "SESSIONS", severity: "ok", what, where: sessionLogs.sessionsDir, doNext: "" });
    return { sessions: { total, latest: sessions }, findings };
  } catch (thrown) {
    return {
      findings: thrownFindings(thrown, sessionLogs.sessionsDir, "Check the owner and the mode of that folder: ls -ld"),
    };
  } finally {
    await client.close();
  }
}

function verdict(total: number, sessions: readonly SessionHealth[]): string {
  if (total === 0) return "There is no session yet.";
  const read = sessions.filter(({ events }) => events !== undefined).length;
  return read === sessions.length
    ? `The latest ${read} of ${total} sessions are intact.`
    : `Of the latest ${sessions.length} of ${total} sessions ${read} were read, and those are intact.`;
}

function aboutSession(session: SessionHealth): Finding[] {
  return [...aboutLog(session), ...aboutFiles(session), ...aboutLock(session)];
}

function aboutLog(session: SessionHealth): Finding[] {
  const { sessionId, path, problem, events, bytes } = session;
  if (problem)
    return [
      {
        code: problem.code,
        severity: "error",
        what: problem.message,
        where: path,
        doNext: "Restore it from a copy, or move it away.",
      },
    ];
  if (events === undefined) {
    const what = `It has ${sizeText(bytes)} and was not read.`;
    return [
      { code: "SESSION_NOT_READ", severity: "note", what, where: path, doNext: `scorel session verify ${sessionId}` },
    ];
  }
  return aboutDamage(session);
}

function aboutDamage({ sessionId, path, damage, bridged, lock }: SessionHealth): Finding[] {
  const torn = damage.filter((text) => / torn: /.test(text));
  const lost = damage.filter((text) => !torn.includes(text));
  const found: Finding[] = [];
  if (lost.length > 0) {
    const more = lost.length > SHOWN_DAMAGE ? ` (and ${lost.length - SHOWN_DAMAGE} more places)` : "";
    const attached = bridged > 0 ? ` ${bridged} events are attached to an earlier one instead of the lost one.` : "";
    const what = `It is damaged, and used without the lost records: ${lost.slice(0, SHOWN_DAMAGE).join("; ")}${more}.${attached}`;
    found.push({
      code: "SESSION_DAMAGED",
      severity: "error",
      what,
      where: path,
      doNext: `scorel session verify ${sessionId} shows all; restore the file from a copy if you have one.`,
    });
  }
  // A process that is writing may be in the middle of a line.
  if (torn.length > 0 && lock?.state !== "held") {
    const what = `Its last line is incomplete: ${torn.join("; ")}.`;
    found.push({
      code: "SESSION_TORN",
      severity: "warning",
      what,
      where: path,
      doNext: "Nothing: the next opening moves the incomplete line to another file.",
    });
  }
  return found;
}

function aboutFiles({ torn, leftover, index, path }: SessionHealth): Finding[] {
  const aside = torn.map(
    (file): Finding => ({
      code: "SESSION_TORN_ASIDE",
      severity: "note",
      what: `${file.bytes} bytes of an incomplete line were moved here after a crash.`,
      where: file.path,
      doNext: `Check whether you miss anything; then rm ${shellWord(file.path)}`,
    }),
  );
  if (leftover !== undefined)
    aside.push({
      code: "SESSION_LEFTOVER",
      severity: "note",
      what: "A process ended in the middle of a reply; the partial text is here.",
      where: leftover,
      doNext: "Nothing: the next opening makes a message of it.",
    });
  if (index === "damaged")
    aside.push({
      code: "SESSION_INDEX",
      severity: "note",
      what: "Its index is damaged; the log itself is read instead.",
      where: path.replace(/\.[^./]+$/, ".index"),
      doNext: "Nothing: it is written again.",
    });
  return aside;
}

function aboutLock({ lock, sessionId }: SessionHealth): Finding[] {
  if (!lock) return [];
  const { state, pid, path } = lock;
  if (state === "held") return [];
  if (state === "suspended")
    return [
      {
        code: "SESSION_SUSPENDED",
        severity: "warning",
        what: `Process ${pid} has session ${sessionId} open and is suspended.`,
        where: path,
        doNext: `fg in its terminal, or: kill -CONT ${pid}`,
      },
    ];
  const what = `Process ${pid || "nobody"} left its lock on session ${sessionId} when it ended.`;
  return [
    {
      code: "SESSION_LOCK_STALE",
      severity: "note",
      what,
      where: path,
      doNext: "Nothing: the next opening takes it over.",
    },
  ];
}

/** Says which other processes have sessions open, each in one line: that is no problem, and a host has many. */
function aboutOthers(sessions: readonly SessionHealth[]): Finding[] {
  const open = new Map<number, string[]>();
  for (const { lock, sessionId } of sessions)
    if (lock?.state === "held" && lock.pid !== process.pid)
      open.set(lock.pid, [...(open.get(lock.pid) ?? []), sessionId]);
  return [...open].map(([pid, ids]) => {
    const what = `Process ${pid} has ${ids.length === 1 ? "session" : "sessions"} ${ids.join(", ")} open.`;
    return { code: "SESSION_IN_USE", severity: "ok", what, where: "", doNext: "" };
  });
}
