import type { FilesPreview } from "./contract.ts";

/** What going back would do to the files, for a person to agree to: every change with its diff, and what stays as it is. */
export function describe({ changes, notCovered }: FilesPreview): string {
  const rows = changes.map(({ path, kind, diff, conflict }) => {
    const head = `${kind}: ${path}${conflict === undefined ? "" : ` (left alone without --overwrite: ${conflict})`}\n`;
    return head + (diff === undefined ? "" : `${diff.trimEnd()}\n`);
  });
  const left = notCovered.map(({ path, reason }) => `not covered: ${path}: ${reason}\n`);
  return rows.length + left.length === 0 ? "No file differs from then.\n" : [...rows, ...left].join("");
}
