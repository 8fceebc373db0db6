import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const list = `HOME=$HOME/many exec ${process.execPath} ${path("../../dist/bin.js")} session list --all --output json`;

/** Listing by the index files alone; an empty list shows what the command itself costs. */
export default [
  { work: "list no session", argv: [process.execPath, path("../../dist/bin.js"), "session", "list", "--all"] },
  {
    work: "list 1,000 sessions",
    first: [process.execPath, path("many-sessions.mjs")],
    argv: ["sh", "-c", list],
    check: (stdout) => JSON.parse(stdout).length === 1000,
    aim: 4,
  },
];
