/** Reverses a diff: additions become removals, and removals additions. */
export function reversedDiff(diff: string): string {
  const reversed: string[] = [];
  const removed: string[] = [];
  const added: string[] = [];
  const flush = () => {
    // Not as arguments of one call, of which a function takes about a hundred thousand.
    for (const lines of [removed, added]) for (const line of lines.splice(0)) reversed.push(line);
  };
  let last = reversed;
  for (const line of diff.split("\n")) {
    const [hunk, old, now] = /^@@ -(\S+) \+(\S+) @@/.exec(line) ?? [];
    const isInside = reversed.length > 0;
    if (!isInside && hunk === undefined) continue;
    if (line.startsWith("\\")) last.push(line);
    else if (line.startsWith("-")) {
      last = added;
      added.push(`+${line.slice(1)}`);
    } else if (line.startsWith("+")) {
      last = removed;
      removed.push(`-${line.slice(1)}`);
    } else {
      flush();
      last = reversed;
      reversed.push(hunk === undefined ? line : `@@ -${now} +${old} @@`);
    }
  }
  flush();
  return reversed.join("\n");
}
