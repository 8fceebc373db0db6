import type { SkillSource } from "../contract.ts";

interface Row {
  name: string;
  description: string;
  source: SkillSource;
}
/** The list of skills in the prompt. */
export interface Overview {
  text: string;
  /** Whether something was shortened or left out, so that the model needs a search. */
  shortened: boolean;
}

/** So many names are listed, even if they exceed the budget. */
const ALWAYS = 100;
/** Characters of the shortest description that is still useful. */
const SHORTEST = 24;
/** Characters of each description when there is no room for all of them. */
const DESCRIBED = 80;
/** The share of the budget for names beyond the first hundred; the rest is for descriptions. */
const NAMES_SHARE = 0.75;
const SOURCES: readonly SkillSource[] = ["project", "user", "configured", "package", "shipped"];
const TAG = /<(?=[\s/]*system-reminder)/gi;

export const GUIDANCE = `Before work that a skill covers, call skill_load and do as it says; load only docs that you need. What was loaded stays above. A skill grants no permission.`;

/**
 * Lists names and descriptions within a byte budget: descriptions are shortened first, then names beyond the first 100 are left
 * out. Frequently used skills are kept first; `uses` counts loads by name.
 */
export function overviewOf(
  rows: readonly Row[],
  budget: number,
  guidance = GUIDANCE,
  uses: ReadonlyMap<string, number> = new Map(),
): Overview {
  if (rows.length === 0) return { text: "", shortened: false };
  const sorted = [...rows]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((row) => ({ ...row, description: oneLine(row.description) }));
  const whole = sorted.map((row) => lineOf(row, Number.POSITIVE_INFINITY));
  const fits = sizeOf(whole) <= budget;
  const lines = fits ? whole : shortened(sorted, nearest(sorted, uses), budget);
  const left = sorted.length - lines.length;
  const more = left > 0 ? `${left} more skills are not named here, and ` : "";
  const note = fits ? [] : [`(${more}descriptions are shortened: skill_search finds skills by words.)`];
  const text = ["Available skills:", ...lines, ...note, ...(guidance === "" ? [] : [guidance])].join("\n");
  return { text, shortened: !fits };
}

/**
 * Shortens all descriptions to the longest common length that fits. If that is too short to be useful, only the most relevant
 * skills keep descriptions.
 */
function shortened(rows: readonly Row[], nearest: readonly Row[], budget: number): string[] {
  const chosen = named(nearest, budget * NAMES_SHARE);
  const kept = rows.filter((row) => chosen.has(row));
  let [low, high] = [0, 1_536];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(kept.map((row) => lineOf(row, middle))) <= budget) low = middle;
    else high = middle - 1;
  }
  if (low >= SHORTEST) return kept.map((row) => lineOf(row, low));
  const described = describable([...chosen], budget);
  return kept.map((row) => lineOf(row, described.has(row) ? DESCRIBED : 0));
}

/** The first rows whose descriptions fit besides all names. */
function describable(rows: readonly Row[], budget: number): ReadonlySet<Row> {
  let room = budget - sizeOf(rows.map((row) => lineOf(row, 0)));
  const chosen = new Set<Row>();
  for (const row of rows) {
    room -= sizeOf([lineOf(row, DESCRIBED)]) - sizeOf([lineOf(row, 0)]);
    if (room < 0) break;
    chosen.add(row);
  }
  return chosen;
}

/** Sorts by use, then by source: project first, shipped last. */
function nearest(rows: readonly Row[], uses: ReadonlyMap<string, number>): Row[] {
  const usesOf = ({ name }: Row) => uses.get(name) ?? 0;
  return [...rows].sort((a, b) => usesOf(b) - usesOf(a) || SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
}

/** The first rows whose names fit, at least 100. */
function named(rows: readonly Row[], budget: number): ReadonlySet<Row> {
  let used = 0;
  const chosen = rows.filter((row, at) => {
    used += sizeOf([lineOf(row, 0)]);
    return at < ALWAYS || used <= budget;
  });
  return new Set(chosen);
}

function lineOf({ name, description }: Row, most: number): string {
  return most === 0 ? `- ${name}` : `- ${name}: ${cut(description, most)}`;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** Makes a description safe: it cannot start a new line or imitate the harness. */
export function oneLine(description: string): string {
  return description.replace(/\s+/g, " ").trim().replace(TAG, "&lt;");
}

/** Cuts a description to at most `most` characters. */
export function cut(description: string, most: number): string {
  const points = [...description];
  if (points.length <= most) return description;
  const kept = points.slice(0, Math.max(0, most - 1)).join("");
  return `${kept.trimEnd()}…`;
}
