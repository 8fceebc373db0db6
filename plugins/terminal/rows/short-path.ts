/** A path with `~` for the home directory. */
export function shortPath(path: string, home: string | undefined): string {
  return home !== undefined && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}
