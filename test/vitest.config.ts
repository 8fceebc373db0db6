import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import slowSeconds from "./slow-seconds.json" with { type: "json" };

const root = fileURLToPath(new URL("..", import.meta.url));

/** End-to-end tests of the fast tier: each user interface and each promise of the README once. */
const smoke = [
  "test/e2e/{asking,checkpoints,cli,completion,demo,history,permissions,presets,prompt,queue,seed-extension,signals}.test.ts",
];

/** Unit tests that take seconds: random and hostile input, races, floods, slow networks, images, archives, programs, servers in processes, many runs of git and bash, the whole documentation. */
const slow = [
  "test/**/{hostile,hazards,floods,race,races,property,properties,corpus,covered,effort,figures}.test.ts",
  "test/plugins/{checkpoints,images,packages,runner,sandbox,search,skillstore,transfer,worktrees}/**/*.test.ts",
  "test/plugins/agent/{apis,outcomes,queue-reference,repeats}.test.ts",
  "test/plugins/coding/{background,copied-search,executor-faults,plain-glob,uncut}.test.ts",
  "test/plugins/compaction/{lessons,long-*}.test.ts",
  "test/plugins/gateway/{silent-hosts,slow-line,stuck,unconfirmed}.test.ts",
  "test/plugins/host/{resume,view}.test.ts",
  "test/plugins/kit/{rpc/wire,text/key-locator}.test.ts",
  "test/plugins/logs/{index-file,line-sums}.test.ts",
  "test/plugins/mcp/{cache,calls,command,large-events,offer,requests,resources,search}.test.ts",
  "test/plugins/permissions/{bash,coverage,git,judged,oracle,tables}.test.ts",
  "test/plugins/relay/{host-link,identity,pairing,segments,several-relays,slow-reader,malicious/*}.test.ts",
  "test/plugins/subagents/worktree.test.ts",
  "test/plugins/terminal/{diff,growing-code,input/clipboard,painter,untrusted-parts}.test.ts",
  "test/plugins/web/{page-built,page-seen}.test.ts",
  "test/plugins/ws/{channel,large-messages,rights,slow-answers}.test.ts",
  "test/{docs,plugins/history/tree,plugins/model-auth,plugins/model-sent,presets/reload}.test.ts",
];

/** Unit tests that change or measure their process, or fill its memory, so that each file needs a process of its own. */
const ownProcess = [
  "test/kernel/projection-memory.test.ts",
  "test/plugins/{blobs-memory,gateway/sizes,kit/values/backlog,terminal/pictures,ws/safety}.test.ts",
  "test/**/{code-cache,secrets,spans}.test.ts",
  "test/plugins/extensions/{leaks,containment/calls,containment/failures,containment/uncaught}.test.ts",
];

/** Tests of the built command, which have suites of their own. */
const ofCommand = ["test/{e2e,fault,programs}/**"];

const unit = ["test/{kernel,plugins,presets,contracts}/**/*.test.ts", "test/*.test.ts"];

/** Tests of the suite `deep` that cover more on machines with bubblewrap and Python. */
const usesPrograms = [
  "test/plugins/runner/**/*.test.ts",
  "test/plugins/skills/shipped.test.ts",
  "test/plugins/packages/zip.test.ts",
];

/** Starts the slowest files first: if they were started last, one processor would be idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds: Record<string, number> = slowSeconds;
    const timeOf = ({ moduleId }: TestSpecification) => seconds[relative(root, moduleId)] ?? 0;
    // A process can only be shared by files of the same suite that follow each other.
    return (await super.sort(files)).sort(
      (a, b) => timeOf(b) - timeOf(a) || a.project.name.localeCompare(b.project.name),
    );
  }
}

/**
 * Options by which the files of a suite share a process and its modules, since loading them takes longer than most tests of a file.
 * A process of hundreds of files comes near the default limit of its memory, and would spend its time collecting garbage.
 */
const shared = { isolate: false, execArgv: ["--max-old-space-size=8192"] };

/** Gives tests a home with compiled code. */
const globalSetup = ["test/e2e/warm.ts"];

const suite = (name: string, include: string[], testTimeout: number, more: object = {}, exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: ["**/node_modules/**", ...exclude], testTimeout, hookTimeout: testTimeout, ...more },
});

/**
 * Suites by name. `unit` and `own-process` run on the sources; `smoke`, `e2e` and `fault` on the built command; `deep`
 * contains the slow unit tests. `programs` contains tests that need programs which a machine may lack; there, skills'
 * programs run in bubblewrap.
 */
export default defineConfig({
  root,
  cacheDir: "node_modules/.vite",
  // `using` must be lowered: Node 20 does not parse it.
  oxc: { target: "node20" },
  test: {
    environment: "node",
    // By default vitest leaves one processor free, which on a machine with two is half of them. The option `--maxWorkers` has no
    // effect on projects, so test/run.mjs sets a variable.
    maxWorkers: Number(process.env.SCOREL_TEST_WORKERS ?? availableParallelism()),
    sequence: { sequencer: LongestFirst },
    retry: 0,
    // The default of one second is shorter than a loaded machine needs to draw a page.
    expect: { poll: { timeout: 45_000 } },
    passWithNoTests: false,
    projects: [
      suite("unit", unit, 60_000, shared, [...slow, ...ownProcess]),
      suite("own-process", ownProcess, 60_000, {}, [...slow, ...ofCommand]),
      suite("deep", slow, 300_000, {}, ofCommand),
      suite("smoke", smoke, 120_000, { ...shared, globalSetup }),
      suite("e2e", ["test/e2e/**/*.test.ts"], 300_000, { ...shared, globalSetup }, smoke),
      suite("programs", ["test/programs/**/*.test.ts", ...usesPrograms], 300_000, {
        ...shared,
        globalSetup,
        setupFiles: ["test/programs/keep-browsers.ts"],
        env: { SCOREL_TEST_EXECUTOR: "bubblewrap" },
      }),
      suite("fault", ["test/fault/**/*.test.ts"], 300_000, shared),
    ],
  },
});
