/** The named lists of tools. A tool that no list names is an extension's, or one of another plugin. */
const LISTS = {
  readonly: ["Read", "Glob", "Grep"],
  coding: ["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TodoWrite"],
} as const;

export const PRESETS = ["all", "coding", "readonly", "none"] as const;
export type Preset = (typeof PRESETS)[number];

const listed: ReadonlySet<string> = new Set(Object.values(LISTS).flat());

/** Whether a preset offers a tool. `readonly` and `none` keep to their lists; `coding` adds what other plugins bring. */
export function offers(preset: Preset, name: string): boolean {
  if (preset === "all") return true;
  if (preset === "none") return false;
  if ((LISTS[preset] as readonly string[]).includes(name)) return true;
  return preset === "coding" && !listed.has(name);
}
