import { nearest } from "@scorel/kit/values/nearest";

/** The named tool lists. Tools in no list belong to extensions or other plugins. */
const LISTS = {
  readonly: ["Read", "Glob", "Grep"],
  coding: ["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TodoWrite"],
} as const;

export const PRESETS = ["all", "coding", "readonly", "none"] as const;
export type Preset = (typeof PRESETS)[number];

const listed: ReadonlySet<string> = new Set(Object.values(LISTS).flat());

/** Suggestions for names that are almost those of listed tools; undefined if there are none. */
export function misspelt(names: unknown): string | undefined {
  const texts = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  const found = texts.flatMap((name) => {
    const near = listed.has(name) ? undefined : nearest(name, listed);
    return near === undefined ? [] : [`names ${JSON.stringify(name)}: did you mean ${JSON.stringify(near)}?`];
  });
  return found.length > 0 ? found.join(" And it ") : undefined;
}

/**
 * Whether a preset offers a tool. `readonly` and `none` offer only their lists; `coding` also offers tools of other plugins.
 */
export function offers(preset: Preset, name: string): boolean {
  if (preset === "all") return true;
  if (preset === "none") return false;
  if ((LISTS[preset] as readonly string[]).includes(name)) return true;
  return preset === "coding" && !listed.has(name);
}
