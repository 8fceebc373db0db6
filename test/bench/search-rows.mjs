/**
 * The time to search 1 GB of sessions for words, and to add up their usage. The sessions are read once before, so they
 * are in the system's cache.
 */
import { fileURLToPath } from "node:url";
import { bin, createHome, median, milliseconds, run } from "./measure.mjs";

const RUNS = 5;
const node = process.execPath;
const { home, remove } = createHome("http://127.0.0.1:9");

function time(work, args, limit, check) {
  run(node, [bin, ...args], { home, check });
  const values = Array.from({ length: RUNS }, () => milliseconds(node, [bin, ...args], { home, check }));
  return { work, value: median(values), unit: "ms", ...(limit && { limit }) };
}

try {
  run(node, [fileURLToPath(new URL("many-logs.mjs", import.meta.url))], { home });
  const rows = [
    time("search 1 GB for a word in its last log", ["search", "needle"], 5_000, (out) => out.includes("the needle")),
    time("first place of a common word in 1 GB", ["search", "discount", "--limit", "1"], 500, (out) =>
      out.includes("discount"),
    ),
    time(
      "usage of 1,000 sessions, 1 GB",
      ["usage", "--output", "json"],
      5_000,
      (out) => JSON.parse(out).sessions === 1000,
    ),
  ];
  console.log(JSON.stringify(rows));
} finally {
  remove();
}
