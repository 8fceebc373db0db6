import type { ListedCommand, SlashCommand } from "./contract.ts";

/** The headings of shipped commands, in the order in which help shows them. Others follow by name, and `Other` is the last. */
const ORDER = ["Session", "Conversation", "Model", "Project", "Skills"];
export const OTHER = "Other";

/** Sets the heading of commands. */
export function inGroup(group: string, commands: Record<string, SlashCommand>): Record<string, SlashCommand> {
  return Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, { group, ...command }]));
}

/** Compares two headings, for sorting. */
export function byGroup(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || a.localeCompare(b);
}

function rankOf(group: string): number {
  const at = ORDER.indexOf(group);
  return at >= 0 ? at : group === OTHER ? ORDER.length + 1 : ORDER.length;
}

/** Formats commands as lines below their headings. `commands` must be sorted by heading. */
export function groupedLines(commands: readonly ListedCommand[], widest: number): string[] {
  const width = Math.min(widest, Math.max(...commands.map(({ usage }) => usage.length)));
  return commands.flatMap(({ group, usage, description }, at) => {
    const before = commands[at - 1]?.group;
    const heading = group === before ? [] : [...(before === undefined ? [] : [""]), `${group}:`];
    return [...heading, `${usage.padEnd(width)}  ${description}`];
  });
}
