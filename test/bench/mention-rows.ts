/**
 * Processor time to find the best of 100,000 paths for what is typed after `@`, against a search for the same letters in
 * all paths.
 */
import { bestOf } from "../../plugins/mentions/find/best.ts";
import { entryOf, queryOf } from "../../plugins/mentions/find/ranking.ts";

const RUNS = 7;
/** As many as a list of files shows. */
const SHOWN = 20;
const QUERIES = ["c", "component", "comp999", "m12 tsx", "zzz", "pkgmod3cmp77"];

const paths = Array.from({ length: 100_000 }, (_, n) => `packages/module-${n % 300}/src/part-${n}/Component${n}.tsx`);
const entries = paths.map(entryOf);

const rows = QUERIES.map((query) => ({
  work: `100,000 paths: the best for @${query}, CPU`,
  value: processorTime(() => bestOf(entries, queryOf(query), SHOWN, () => false)),
  baseline: processorTime(() => paths.filter((path) => path.toLowerCase().includes(query))),
  aim: 4,
  unit: "ms",
}));
console.log(JSON.stringify(rows));

/** The shortest of several runs in milliseconds, after one that compiles the functions. */
function processorTime(work: () => unknown): number {
  work();
  const times = Array.from({ length: RUNS }, () => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1_000;
  });
  return Math.min(...times);
}
