import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

const suite = (name: string, include: string[], testTimeout: number, more: object = {}) => ({
  extends: true as const,
  test: { name, include, testTimeout, hookTimeout: testTimeout, ...more },
});
/** Gives tests a home with compiled code. */
const globalSetup = ["test/e2e/warm.ts"];

/** Tests of the suite `unit` that cover more where there are bubblewrap and Python. */
const usesPrograms = [
  "test/plugins/runner/**/*.test.ts",
  "test/plugins/skills/shipped.test.ts",
  "test/plugins/packages/zip.test.ts",
];

/**
 * Suites by name: `unit` runs on the sources, `e2e` and `fault` on the built command. `programs` is what needs programs that a
 * machine may lack, with skills' programs in bubblewrap.
 */
export default defineConfig({
  root,
  cacheDir: "node_modules/.vite",
  // `using` must be lowered: Node 20 does not parse it.
  oxc: { target: "node20" },
  test: {
    environment: "node",
    // Left to itself one processor is kept free, which of two is half of them: most of what is timed here is waiting.
    maxWorkers: availableParallelism(),
    retry: 0,
    passWithNoTests: false,
    projects: [
      suite("unit", ["test/{kernel,plugins,presets,contracts}/**/*.test.ts", "test/*.test.ts"], 20_000),
      suite("e2e", ["test/e2e/**/*.test.ts"], 60_000, { globalSetup }),
      suite("programs", ["test/programs/**/*.test.ts", ...usesPrograms], 60_000, {
        globalSetup,
        env: { SCOREL_TEST_EXECUTOR: "bubblewrap" },
      }),
      suite("fault", ["test/fault/**/*.test.ts"], 60_000),
    ],
  },
});
