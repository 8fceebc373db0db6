/** Returns up to `count` names that are most similar to `asked`; empty when none is similar. */
export function nearest(asked: string, names: readonly string[], count = 3): string[] {
  const wanted = asked.toLowerCase();
  return names
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= farthest(asked, name))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}

/** The largest edit distance at which two names still are similar. */
function farthest(a: string, b: string): number {
  return Math.max(2, Math.min(a.length, b.length) / 2);
}

/** Edit distance; 1 when one name contains the other, and infinite when their lengths already differ too much. */
function distance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a))) return 1;
  if (Math.abs(a.length - b.length) > farthest(a, b)) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
