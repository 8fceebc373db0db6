import { codeOf, messageOf } from "@scorel/kernel";
import { loadedExtensions, ownerOf } from "./owners.ts";
import { running } from "./running.ts";
import { framesOf } from "./stack.ts";

/**
 * Deals with an error that nobody caught when it comes from an extension, and names it: in the sessions that run the extension,
 * else on stderr. Answers whether it did; what may come from Scorel itself is not dealt with.
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

/** Lines on stderr for each extension that throws outside of a session. */
const TOLD = 10;
const told = new Map<string, number>();

function tell(who: string, line: string): void {
  const count = (told.get(who) ?? 0) + 1;
  told.set(who, count);
  if (count <= TOLD) process.stderr.write(line);
  if (count === TOLD) process.stderr.write(`scorel: ${who}: what else they throw there is not told\n`);
}

/**
 * Scorel throws errors with stacks, and its stacks lead through files. One without (`throw null`, or an event "error"
 * of a stream that nobody listens to) comes from an extension.
 */
function mayBeOurs(thrown: unknown): boolean {
  if (codeOf(thrown) === "EXTENSION_PROCESS") return false;
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  return typeof stack === "string" && framesOf(stack).length > 0;
}
