import type { Replay, ReplayOutput } from "./contract.ts";

/** The report on a replay, for people. */
export function replayed({ name, version, same, exitCode, outputs, changed, stderr, workspace }: Replay): string {
  const files = outputs.length === 1 ? "1 file" : `${outputs.length} files`;
  const verdict = same
    ? `${name}@${version}: the same again (exit code ${exitCode.now}, ${files})`
    : `${name}@${version}: not the same`;
  const ended = exitCode.before === exitCode.now ? [] : [`exit code: ${exitCode.before} before, ${exitCode.now} now`];
  const lines = [
    verdict,
    ...changed.map(({ what, note }) => `${what}: ${note}`),
    ...ended,
    ...outputs.flatMap(told),
    ...(stderr ? ["what it said:", ...indented(stderr)] : []),
    ...(workspace === undefined ? [] : [`The workspace is kept in ${workspace}.`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function told({ name, before, now, same, note, diff }: ReplayOutput): string[] {
  if (same) return [`same: ${name} (sha256 ${now})`];
  const hashes = before !== undefined && now !== undefined ? [`  sha256 ${before} before`, `  sha256 ${now} now`] : [];
  return [`differs: ${name}${note === undefined ? "" : `: ${note}`}`, ...hashes, ...(diff ? indented(diff) : [])];
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}
