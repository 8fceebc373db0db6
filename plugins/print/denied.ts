import type { Transients } from "@scorel/kernel";
import type {} from "@scorel/permissions/contract";

const SHOWN = 10;

/** Lists calls that were denied because nobody could be asked, and how to allow them. */
export function howToAllow(denied: readonly Transients["permission_denied"][]): string {
  const all = [...new Set(denied.map(({ what }) => what))];
  const rulesOf = (isKept: boolean) => [
    ...new Set(denied.flatMap((call) => ((call.inEveryMode === true) === isKept ? call.rules : []))),
  ];
  // Files with keys are asked about in every mode, and not offered for copying together with others.
  const [rules, kept] = [rulesOf(false), rulesOf(true)];
  const more = all.length > SHOWN ? [`  … ${all.length - SHOWN} more`] : [];
  const lines = [
    "Not allowed in this run:",
    ...all.slice(0, SHOWN).map((what) => `  ${what.replaceAll("\n", "\n    ")}`),
    ...more,
  ];
  lines.push(...modesThatAllow(denied));
  // The user's own rules and the guards ask in every mode.
  const reasons = new Set(denied.flatMap(({ inEveryMode, why }) => (inEveryMode ? [why] : [])));
  if (reasons.size > 0)
    lines.push(
      "Asked about even in mode full (--yes), and nobody is there to answer:",
      ...[...reasons].slice(0, SHOWN).map((why) => `  ${why}`),
    );
  if (denied.some(({ inEveryMode, allowedBy }) => inEveryMode && !allowedBy))
    lines.push("`scorel config show --explain` says which file sets a rule of [permissions].");
  const others = new Set(denied.flatMap(({ allowedBy }) => allowedBy ?? []));
  if (others.size > 0) lines.push("To allow it for one run:", ...[...others].map((each) => `  ${each}`));
  if (rules.length > 0)
    lines.push("To allow it for good, in ~/.scorel/config.toml:", "[permissions]", `allow = ${JSON.stringify(rules)}`);
  if (kept.length > 0)
    lines.push(
      "Allow files with keys one by one, and only those that the agent must read:",
      ...kept.map((rule) => `  ${rule}`),
    );
  return lines.join("\n");
}

/** The permission modes that would allow calls, and who locks the mode where none does. */
function modesThatAllow(denied: readonly Transients["permission_denied"][]): string[] {
  const byMode = denied.filter(({ inEveryMode }) => !inEveryMode);
  const lines: string[] = [];
  if (byMode.some(({ locked }) => !locked))
    lines.push("To allow everything for one run: --yes (or --permission <mode>).");
  const modes = new Set(byMode.flatMap(({ locked }) => locked?.mode ?? []));
  for (const mode of modes) lines.push(`To allow more for one run: --permission ${mode}.`);
  const lockers = new Set(byMode.flatMap(({ locked }) => (locked && !locked.mode ? [locked.by] : [])));
  for (const by of lockers) lines.push(`--yes is not possible here: ${by} locks permissions.mode.`);
  return lines;
}
