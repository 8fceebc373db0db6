const CONTEXT = 3;

/** Returns a unified diff of one file with a single hunk around all changes; empty without changes. */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const [old, now] = [lines(before), lines(after)];
  const start = common(old, now);
  const end = common(old.slice(start).reverse(), now.slice(start).reverse());
  const from = Math.max(0, start - CONTEXT);
  const tail = old.slice(old.length - end).slice(0, CONTEXT);
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ];
  const count = (mark: string) => hunk.filter((line) => line[0] !== mark).length;
  return `--- a/${name}\n+++ b/${name}\n@@ -${from + 1},${count("+")} +${from + 1},${count("-")} @@\n${hunk.join("\n")}\n`;
}

function lines(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** Returns how many lines two lists share at their start. */
function common(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return length;
}
