import { inspect } from "node:util";
import { DeclarationsError } from "../../plugins/extensions/declarations/write.mjs";

/**
 * The texts to print about a build that failed. Mistakes in the sources are shown without a stack trace. esbuild has printed them
 * itself; the compiler and Vite put them into the message of what they throw.
 */
export function describeFailures(failures) {
  // The compiler usually fails for the same mistake.
  if (failures.some(isPrinted)) return [];
  return failures.map((failure) => (isAboutSources(failure) ? failure.message : inspect(failure)));
}

function isPrinted(failure) {
  return failure instanceof Error && "errors" in failure && "warnings" in failure;
}

function isAboutSources(failure) {
  return failure instanceof DeclarationsError || (failure instanceof Error && "errors" in failure);
}
