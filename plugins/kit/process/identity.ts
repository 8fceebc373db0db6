import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../values/coded-error.ts";
import { ownPath } from "./programs.ts";

/** A process on this machine. The start time tells it from a later process with the same pid. */
export interface LocalIdentity {
  pid: number;
  /** When the process started, in the system's own unit; "" when unknown. */
  start: string;
}

/** A process on any machine, for files that other machines and containers may read. */
export interface ProcessIdentity extends LocalIdentity {
  /** The boot id, which changes at each start of the machine; "" when unknown. */
  boot: string;
  /** The pid namespace, which differs in each container; "" when unknown. */
  space: string;
  machine: string;
}

/** The process that has this pid now; `start` is "" when there is none or its start time is unknown. */
export function identityOf(pid: number): LocalIdentity {
  return { pid, start: startOf(pid) ?? "" };
}

/** The boot id of the machine and the pid namespace of this process; "" when unknown. */
export function placeOf(): { boot: string; space: string } {
  return {
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "",
    space: attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
}

let own: ProcessIdentity | undefined;

/** The identity of this process, which is looked up once. */
export function ownIdentity(): ProcessIdentity {
  own ??= { ...identityOf(process.pid), ...placeOf(), machine: hostname() };
  return own;
}

/** Whether this process still runs. Returns true if that cannot be checked, on another machine or in another container. */
export function isRunning(other: ProcessIdentity): boolean {
  const me = ownIdentity();
  if (other.boot !== me.boot && other.boot !== "" && me.boot !== "") return other.machine !== me.machine;
  if (other.space !== me.space && other.space !== "" && me.space !== "") return true;
  const start = startOf(other.pid);
  if (start === undefined) return false;
  return start === "" || other.start === "" || start === other.start;
}

/** Whether this process certainly still runs. Returns false if that cannot be checked. */
export function isSurelyRunning(other: ProcessIdentity): boolean {
  const me = ownIdentity();
  const isHere = other.boot !== "" && other.boot === me.boot && other.space === me.space;
  return isHere && other.start !== "" && startOf(other.pid) === other.start;
}

/** Whether a process of the same pid namespace is suspended (as by Ctrl-Z); false when unknown. */
export function isSuspended({ pid, space }: ProcessIdentity): boolean {
  const [state = ""] = space === ownIdentity().space ? statOf(pid) : [];
  return state === "T" || state === "t";
}

/** When a process started; undefined when there is no such process, "" when unknown. */
function startOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (attempt(() => readFileSync("/proc/self/stat", "utf8")) !== undefined) return startInProc(pid);
  return exists(pid) ? startByPs(pid) : undefined;
}

/** The start time in /proc; undefined for a zombie, which has ended although its parent has not noticed. */
function startInProc(pid: number): string | undefined {
  const [state, ...fields] = statOf(pid);
  if (state === undefined || state === "Z" || state === "X") return undefined;
  return fields[18] ?? "";
}

/** The fields of /proc/<pid>/stat, from the state on; empty when there is no such process. */
function statOf(pid: number): string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat === undefined ? [] : fieldsOf(stat);
}

/** The fields after the program's name, which is in brackets and may itself contain spaces and brackets. */
export function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startByPs(pid: number): string {
  const ps = () =>
    execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      env: { PATH: ownPath(process.env.PATH) },
      timeout: 2000,
      stdio: "pipe",
    });
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

/** Returns the result of `read`, or undefined if it throws, because information that the system does not provide is not an error. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
