import { fileURLToPath } from "node:url";
import { bin } from "./measure.mjs";

const list = [bin, "session", "list", "--all", "--output", "json"];
const many = fileURLToPath(new URL("many-sessions.mjs", import.meta.url));

/** Listing by the index files alone; an empty list shows what the command itself costs. */
export default [
  {
    work: "list 1,000 sessions, against none",
    first: [many],
    args: list,
    against: list,
    check: (stdout) => JSON.parse(stdout).length === 1000,
    limit: 200,
  },
];
