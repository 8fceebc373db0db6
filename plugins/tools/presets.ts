import { nearest } from "@scorel/kernel";

/** The named lists of tools. A tool that no list names is an extension's, or one of another plugin. */
const LISTS = {
  readonly: ["Read", "Glob", "Grep"],
  coding: ["Read", "Edit", "Write", "Bash", "Glob", "Grep", "TodoWrite"],
} as const;

export const PRESETS = ["all", "coding", "readonly", "none"] as const;
export type Preset = (typeof PRESETS)[number];

const listed: ReadonlySet<string> = new Set(Object.values(LISTS).flat());

/** What is probably meant by names that are nearly those of tools in the lists; undefined where none is. */
export function misspelt(names: unknown): string | undefined {
  const texts = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  const found = texts.flatMap((name) => {
    const near = listed.has(name) ? undefined : nearest(name, listed);
    return near === undefined ? [] : [`names ${JSON.stringify(name)}: did you mean ${JSON.stringify(near)}?`];
  });
  return found.length > 0 ? found.join(" And it ") : undefined;
}

/** Whether a preset offers a tool. `readonly` and `none` keep to their lists; `coding` adds what other plugins bring. */
export function offers(preset: Preset, name: string): boolean {
  if (preset === "all") return true;
  if (preset === "none") return false;
  if ((LISTS[preset] as readonly string[]).includes(name)) return true;
  return preset === "coding" && !listed.has(name);
}
