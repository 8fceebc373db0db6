import { codeOf, messageOf, ScorelError } from "@scorel/kernel";

/** Errors that a different command line or configuration would avoid; all others are failures of the work itself. */
const usage = [
  /^(CLI|CONFIG|MODELS?|PRINT|CHAT|INSPECT|TRUST|PRESET)_/,
  /^EXTENSIONS_(NAME|EXISTS|FILE|UNTRUSTED|TSCONFIG)$/,
  /^PACKAGES_(SOURCE|NAME|INSTALLED|UNKNOWN|UNCONFIRMED|NO_NPM)$/,
  /^COMMAND_(UNKNOWN|ARGUMENTS)$/,
  /^PLUGIN_(CONFIG|MISSING_SERVICE|CIRCLE|DOUBLE_SERVICE|DUPLICATE|UNKNOWN|INVALID)$/,
  /^SESSION_(NONE|UNKNOWN|AMBIGUOUS)$/,
  /^HISTORY_(AMBIGUOUS|EVENT_UNKNOWN|NO_|NOT_IN_TRASH|TAIL|UNCONFIRMED)/,
  /^(FIND_(EMPTY|LONG|LIMIT|SINCE|NO_)|PROJECT_(UNKNOWN|AMBIGUOUS|DIRECTORY|OUTSIDE|NO_))/,
  /^TRANSFER_(EXISTS|FILE|TOO_LARGE|LONG|UNKNOWN|NEWER|EMPTY|NO_HOST)$/,
  /^RUN_(ARGUMENTS|SKILL|INPUT|PATH|OUT|COMMAND)$/,
  /^(SKILL_(UNKNOWN|PATH)|SKILLBOOK_\w+|SKILLSTORE_ADDRESS|HOST_(CWD_INVALID|CLONE_EMPTY|LIMIT_INVALID|NO_PROJECTS|TAIL_INVALID)|TOOL_UNKNOWN)$/,
];

/** 2 for usage and configuration, 1 for everything else. */
export function exitCodeOf(thrown: unknown): number {
  const code = codeOf(thrown);
  return usage.some((pattern) => pattern.test(code)) ? 2 : 1;
}

/** Says what was wrong, each problem of an error that has several; the stack only when asked for. */
export function printError(thrown: unknown, stderr: { write(text: string): unknown }, verbose: boolean): void {
  const problems = thrown instanceof ScorelError ? thrown.data.problems : undefined;
  for (const text of Array.isArray(problems) ? problems : [messageOf(thrown)]) stderr.write(`scorel: ${text}\n`);
  if (verbose && thrown instanceof Error) stderr.write(`${stackOf(thrown)}\n`);
}

function stackOf(error: Error): string {
  const stack = error.stack ?? "";
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
