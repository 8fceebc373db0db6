import type { Ended } from "./command.ts";

/** How a command has ended, in words. */
export function outcomeOf({ ended, exitCode, signal, reason, unkilled }: Ended, seconds: number): string {
  if (unkilled !== undefined)
    return `${ended === "timeout" ? `timed out after ${seconds} s` : "cancelled"}, but it may still run. ${unkilled}`;
  if (ended === "lost") return `connection lost; its outcome is unknown: ${reason}`;
  if (ended === "timeout")
    return `timed out after ${seconds} s; the command and all its processes were killed. Set a longer timeout if it needs one`;
  if (ended === "cancelled") return "cancelled; the command and all its processes were killed";
  return signal ? `killed by ${signal}` : `exit code ${exitCode}`;
}
