/**
 * Runs the tests of one area again and again in one process: for each mutant that it receives, it changes the file,
 * runs the tests, and reports whether one failed. The parent process kills it when a mutant never ends.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Names of test files, in rings. A ring runs only if the rings before it noticed nothing. */
const rings = JSON.parse(process.argv[2]);
const suites = ["unit", "own-process", "deep"];

const config = join(root, "test/vitest.config.ts");
const silent = { onInit() {} };
const options = { config, root, watch: false, bail: 1, passWithNoTests: true, reporters: [silent] };
const vitest = await createVitest("test", options);
await vitest.standalone();
const inOrder = [];
for (const names of rings) {
  const found = await vitest.globTestSpecifications(names);
  inOrder.push(found.filter(({ project }) => suites.includes(project.name)));
}

process.on("message", async (mutant) => {
  if (mutant) put(mutant.file, mutant.mutated);
  const failed = await firstFailure();
  if (mutant) put(mutant.file, mutant.source);
  process.send({ failed });
});
process.on("disconnect", () => process.exit());
process.send("ready");

function put(file, text) {
  const path = join(root, file);
  writeFileSync(path, text);
  vitest.invalidateFile(path);
}

/** The name of the first test that fails, or an error outside of all tests; null if all pass. */
async function firstFailure() {
  for (const tests of inOrder) {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(tests);
    // After the first failure the run is cancelled, and the failure itself may be missing from the result.
    if (vitest.isCancelling) return "a test that ended the run";
    if (unhandledErrors.length > 0) return String(unhandledErrors[0]);
    for (const file of testModules) {
      if (file.ok()) continue;
      const [test] = file.children.allTests("failed");
      return test ? `${file.moduleId}: ${test.fullName}` : `${file.moduleId}: ${file.errors()[0]?.message}`;
    }
  }
  return null;
}
