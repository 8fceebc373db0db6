/** Prints one line for each row and each Node that it was measured with. */

/** @param results for each Node: `{ version, rows: { work, value, baseline?, unit?, aim?, limit?, memory?, memoryBaseline? }[] }` */
export function print(results) {
  const many = results.length > 1;
  const head = ["work", ...(many ? ["node"] : []), "value", "baseline", "ratio", "aim", "memory", "verdict"];
  const works = new Set(results.flatMap(({ rows }) => rows.map(({ work }) => work)));
  const lines = [...works].flatMap((work) =>
    results.flatMap(({ version, rows }, which) =>
      rows
        .filter((row) => row.work === work)
        .map((row) => [which === 0 ? work : "", ...(many ? [version] : []), ...cellsOf(row)]),
    ),
  );
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column].length)));
  for (const line of [head, ...lines])
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join(" | ")
        .trimEnd(),
    );
}

function cellsOf({ value, baseline, unit = "ms", aim, limit, memory, memoryBaseline, failed }) {
  if (failed) return ["", "", "", "", "", "failed"];
  const quantity = (amount) => (amount === undefined ? "" : `${Number(amount.toPrecision(4))} ${unit}`);
  const ratio = baseline === undefined ? undefined : value / baseline;
  const reached = limit === undefined ? ratio : value;
  const goal = limit ?? aim;
  const goalCell = goal === undefined ? "none" : `≤ ${goal} ${limit === undefined ? "×" : unit}`;
  const verdict = goal === undefined ? "reported" : reached <= goal ? "met" : "missed";
  const peak = [memory, memoryBaseline].filter((megabytes) => megabytes !== undefined).map(Math.round);
  const memoryCell = peak.length === 0 ? "" : `${peak.join(" / ")} MB`;
  return [quantity(value), quantity(baseline), ratio?.toFixed(2) ?? "", goalCell, memoryCell, verdict];
}
