import { fileURLToPath } from "node:url";
import { bin } from "./measure.mjs";

const list = [bin, "session", "list", "--all", "--output", "json"];
const many = fileURLToPath(new URL("many-sessions.mjs", import.meta.url));

/**
 * Lists sessions from the index files alone, compared with an empty list, which takes as long as the command itself.
 */
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
