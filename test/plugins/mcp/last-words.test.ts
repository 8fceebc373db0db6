import { expect, it } from "vitest";
import { lastWords } from "../../../plugins/mcp/servers/last-words.ts";

const node = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/no.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2
`;
const python = `Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'
`;

it.each([
  ["an error of Node.js, before its stack", node, "Error: Cannot find module '/no.mjs'"],
  ["the last line of Python's traceback", python, "ModuleNotFoundError: No module named 'mcp'"],
  ["the last lines, where none tells", "one\ntwo\nthree\nbye\n", "two ⏎ three ⏎ bye"],
  ["nothing", "\n\n", ""],
])("the last lines of a program that has ended are %s", (_, stderr, words) => {
  expect(lastWords(stderr)).toContain(words);
  expect(lastWords(stderr)).not.toContain("    at ");
});
