/** Prints the results of `npm run bench`. */

/**
 * Prints one line for each row and each version of Node, then the tables that scripts made.
 *
 * @param results for each Node: `{ version, rows }`. A row is one of
 * - `{ work, value, baseline?, unit?, aim?, limit?, memory?, memoryBaseline?, was? }`, where `was` is the value of an earlier
 *   version as text, with its unit, to show an improvement
 * - `{ work, missing }` with the program that is not installed
 * - `{ table: { title, head, lines } }` with cells that are printed unchanged
 * - `{ work, failed: true }`
 */
export function print(results) {
  const many = results.length > 1;
  const head = ["work", ...(many ? ["node"] : []), "value", "was", "baseline", "ratio", "aim", "memory", "verdict"];
  const works = new Set(results.flatMap(({ rows }) => rows.flatMap(({ work }) => work ?? [])));
  const lines = [...works].flatMap((work) =>
    results.flatMap(({ version, rows }, which) =>
      rows
        .filter((row) => row.work === work)
        .map((row) => [which === 0 ? work : "", ...(many ? [version] : []), ...cellsOf(row)]),
    ),
  );
  printLines([head, ...lines]);
  for (const { version, rows } of results)
    for (const { title, head, lines } of rows.flatMap(({ table }) => table ?? [])) {
      console.log(`\n${title}${many ? ` (${version})` : ""}`);
      printLines([head, ...lines]);
    }
}

function printLines(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join(" | ")
        .trimEnd(),
    );
}

function cellsOf({ value, baseline, unit = "ms", aim, limit, memory, memoryBaseline, was = "", missing, failed }) {
  if (missing) return ["", "", "", "", "", "", missing];
  if (failed) return ["", "", "", "", "", "", "failed"];
  const quantity = (amount) => (amount === undefined ? "" : `${Number(amount.toPrecision(4))} ${unit}`);
  const ratio = baseline === undefined ? undefined : value / baseline;
  const reached = limit === undefined ? ratio : value;
  const goal = limit ?? aim;
  const goalCell = goal === undefined ? "none" : `≤ ${goal} ${limit === undefined ? "×" : unit}`;
  const verdict = goal === undefined ? "reported" : reached <= goal ? "met" : "missed";
  const peak = [memory, memoryBaseline].filter((megabytes) => megabytes !== undefined).map(Math.round);
  const memoryCell = peak.length === 0 ? "" : `${peak.join(" / ")} MB`;
  return [quantity(value), was, quantity(baseline), ratio?.toFixed(2) ?? "", goalCell, memoryCell, verdict];
}
