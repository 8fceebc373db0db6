/** Whether a path is a `.mcp.json` or inside `.git` or `.scorel`, whose files can make git or Scorel run programs. */
export function isControlPath(path: string): boolean {
  return path
    .normalize("NFKC")
    .toLowerCase()
    .split(/[\\/]/)
    .some((name) => /^\.(?:git|scorel|mcp\.json)[. ]*$/.test(name));
}
