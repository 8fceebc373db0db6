import type { KnownWords } from "../contract.ts";
import { exportedId, exportedPlugin } from "./exported.ts";
import { withoutComments } from "./members.ts";
import { slipsIn } from "./slips.ts";

/** Mistakes in the manifest, as far as the source shows them. Computed values are checked when the extension is loaded. */
export function shapeProblems(id: string, source: string, known: KnownWords): string[] {
  const code = withoutComments(source);
  if (!/\bexport\s+default\b|\bexport\s*\{[^{}]*\bas\s+default\b|\bmodule\.exports\b|\bexports\.default\b/.test(code))
    return ["it has no default export"];
  const plugin = exportedPlugin(source);
  const isMissing = (field: string) =>
    plugin?.isWhole
      ? plugin.members.every(({ name }) => name !== field)
      : !new RegExp(`(?:^|[\\s{,;])${field}\\b\\s*[:=,}!?]`).test(code);
  const problems = ["id", "name", "version"].filter(isMissing).map((field) => `it names no "${field}"`);
  const named = exportedId(source);
  if (named !== undefined && named !== id)
    problems.push(`its id is "${named}", but the file or folder is named "${id}"; they have to be equal`);
  return [...problems, ...slipsIn(source, known)];
}
