const NAMED = 5;

/** The first of a list of paths, and how many more there are. */
export function firstOf(paths: readonly string[]): string {
  const more = paths.length - NAMED;
  return `${paths.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
