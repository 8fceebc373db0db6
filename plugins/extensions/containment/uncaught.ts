import { codeOf, messageOf } from "@scorel/kernel";
import { loadedExtensions, ownerOf } from "./owners.ts";
import { running } from "./running.ts";
import { framesOf } from "./stack.ts";

/**
 * Reports an uncaught error of an extension in the sessions that run it, or on stderr. Returns false, without a report, for an error that
 * may come from Scorel itself.
 */
export function takeUncaught(where: string, thrown: unknown): boolean {
  const ids = loadedExtensions();
  if (ids.length === 0) return false;
  if (reportToSessions(where, thrown)) return true;
  const owner = ownerOf(thrown);
  if (!owner && mayBeOurs(thrown)) return false;
  const who = owner ? `extension "${owner.id}"` : `one of the extensions ${ids.join(", ")}`;
  const at = owner ? ` (${owner.at})` : "";
  tell(who, `scorel: ${who} failed in ${where}: ${messageOf(thrown)}${at}\n`);
  return true;
}

function reportToSessions(where: string, thrown: unknown): boolean {
  const throwers = [...running].filter((contained) => contained.threw(thrown));
  for (const contained of throwers) contained.report(where, thrown);
  return throwers.length > 0;
}

/** Maximum lines on stderr for each extension that throws outside of a session. */
const TOLD = 10;
const told = new Map<string, number>();

function tell(who: string, line: string): void {
  const count = (told.get(who) ?? 0) + 1;
  told.set(who, count);
  if (count <= TOLD) process.stderr.write(line);
  if (count === TOLD) process.stderr.write(`scorel: ${who}: what else they throw there is not told\n`);
}

/**
 * Whether an error may come from Scorel, whose errors have stacks that name files. Other values come from an extension, such
 * as `throw null` or an unhandled "error" event of a stream.
 */
function mayBeOurs(thrown: unknown): boolean {
  if (codeOf(thrown) === "EXTENSION_PROCESS") return false;
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  return typeof stack === "string" && framesOf(stack).length > 0;
}
