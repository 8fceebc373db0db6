import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "@scorel/kernel";

/** A process on this machine, told from a later one that gets the same number. */
export interface LocalIdentity {
  pid: number;
  /** When the process started, as its own system counts; "" when that cannot be known. */
  start: string;
}

/** A process anywhere, for files that other machines and containers may read. */
export interface ProcessIdentity extends LocalIdentity {
  /** Differs after each start of the machine; "" when unknown. */
  boot: string;
  /** In which space of process numbers (container); "" when unknown. */
  space: string;
  machine: string;
}

/** Who has this number now; `start` is "" when nobody has, or when the system does not tell. */
export function identityOf(pid: number): LocalIdentity {
  return { pid, start: startOf(pid) ?? "" };
}

/** Which start of the machine, and which space of process numbers (container), this is; "" where that is not told. */
export function placeOf(): { boot: string; space: string } {
  return {
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "",
    space: attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
}

let own: ProcessIdentity | undefined;

/** This process; it stays the same, so it is looked up once. */
export function ownIdentity(): ProcessIdentity {
  own ??= { ...identityOf(process.pid), ...placeOf(), machine: hostname() };
  return own;
}

/** Whether that very process still runs. In doubt (another machine, another container) it does. */
export function isRunning(other: ProcessIdentity): boolean {
  const me = ownIdentity();
  if (other.boot !== me.boot && other.boot !== "" && me.boot !== "") return other.machine !== me.machine;
  if (other.space !== me.space && other.space !== "" && me.space !== "") return true;
  const start = startOf(other.pid);
  if (start === undefined) return false;
  return start === "" || other.start === "" || start === other.start;
}

/** Whether it is certain that this very process still runs, and not only possible. */
export function isSurelyRunning(other: ProcessIdentity): boolean {
  const me = ownIdentity();
  const isHere = other.boot !== "" && other.boot === me.boot && other.space === me.space;
  return isHere && other.start !== "" && startOf(other.pid) === other.start;
}

/** Whether a process of this space stands still until someone wakes it; false where that cannot be told. */
export function isSuspended({ pid, space }: ProcessIdentity): boolean {
  const [state = ""] = space === ownIdentity().space ? statOf(pid) : [];
  return state === "T" || state === "t";
}

/** When a process started; undefined when there is none, "" when it cannot be told. */
function startOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (attempt(() => readFileSync("/proc/self/stat", "utf8")) !== undefined) return startInProc(pid);
  return exists(pid) ? startByPs(pid) : undefined;
}

/** A zombie has ended: it holds nothing, whoever has yet to collect it. */
function startInProc(pid: number): string | undefined {
  const [state, ...fields] = statOf(pid);
  if (state === undefined || state === "Z" || state === "X") return undefined;
  return fields[18] ?? "";
}

/** The fields of a process in /proc, from its state on; none when there is no such process. */
function statOf(pid: number): string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat === undefined ? [] : fieldsOf(stat);
}

/** The fields of /proc/<pid>/stat behind the program's name, which is in brackets and may hold spaces and brackets itself. */
export function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startByPs(pid: number): string {
  const ps = () => execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { timeout: 2000, stdio: "pipe" });
  return attempt(() => ps().toString().trim()) ?? "";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

/** Systems differ in what they tell; what one does not tell is unknown, not an error. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
