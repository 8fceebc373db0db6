import { codeOf, framesOf, messageOf, reportStray } from "@scorel/kernel";
import { loadedExtensions, ownerOf } from "./extension-owners.ts";

/**
 * Takes what nobody caught when it comes from an extension, and names it: in the sessions that run the extension, else
 * on stderr. Answers whether it did; what may come from Scorel itself is not taken.
 */
export function takeStray(where: string, thrown: unknown): boolean {
  const ids = loadedExtensions();
  if (ids.length === 0) return false;
  if (reportStray(where, thrown)) return true;
  const owner = ownerOf(thrown);
  if (!owner && mayBeOurs(thrown)) return false;
  const who = owner ? `extension "${owner.id}"` : `one of the extensions ${ids.join(", ")}`;
  const at = owner ? ` (${owner.at})` : "";
  process.stderr.write(`scorel: ${who} failed in ${where}: ${messageOf(thrown)}${at}\n`);
  return true;
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
