/** Returns up to `count` names that are most similar to `asked`; empty when none is similar. */
export function nearest(asked: string, names: readonly string[], count = 3): string[] {
  const wanted = asked.toLowerCase();
  return names
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(2, Math.min(asked.length, name.length) / 2))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, count)
    .map(({ name }) => name);
}

/** Edit distance; 1 when one name contains the other. */
function distance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a))) return 1;
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
