/** The module `scorel/testing`. Run as a program, it runs the tests of extensions that its arguments name. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { runTests } from "@scorel/extensions/run-tests";
import type * as Testing from "../testing/index.ts";
import { createCodeCache } from "./code-cache.ts";
import { createModules } from "./modules.ts";

const file = fileURLToPath(import.meta.url);
const load = createModules(dirname(file), createCodeCache());

export const { openSession, toolCall } = load("testing.js") as typeof Testing;

if (process.argv[1] === file) {
  const runner = load("run-tests.js") as { runTests: typeof runTests };
  void runner.runTests(process.argv.slice(2), { "@scorel/kernel/testing": async () => ({ openSession, toolCall }) });
}
