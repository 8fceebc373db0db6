import type { Program } from "./table.ts";

const NPM_SHARED =
  "s d q g v D E P O f silent quiet verbose global save save-dev save-prod save-optional save-peer save-exact no-save no-audit no-fund no-progress offline prefer-offline prefer-online force legacy-peer-deps strict-peer-deps ignore-scripts dry-run json long parseable all production package-lock-only no-package-lock if-present workspaces include-workspace-root foreground-scripts yes no-optional no-color version help | w workspace omit include loglevel depth tag access otp audit-level fetch-retries install-strategy";
const JS_LOCAL =
  "s r w D E P O f silent recursive workspace-root save save-dev save-prod save-optional save-peer save-exact dev prod frozen-lockfile no-frozen-lockfile offline prefer-offline ignore-scripts force json long parseable verbose no-color stream parallel if-present production exact latest lockfile-only strict-peer-dependencies no-optional aggregate-output sequential color depth-first help version | F filter filter-prod loglevel reporter depth workspace-concurrency";
const YARN =
  "s silent verbose json offline frozen-lockfile immutable ignore-scripts ignore-engines ignore-optional production non-interactive no-progress force flat dev exact tilde peer optional D E P O T W A v all recursive latest help version | network-timeout mutex pattern";
const PIP =
  "v q U I e isolated no-input no-color require-virtualenv verbose quiet upgrade no-deps pre force-reinstall ignore-installed user no-cache-dir no-build-isolation use-pep517 dry-run disable-pip-version-check no-warn-script-location outdated uptodate editable local y yes exclude-editable not-required no-clean require-hashes help version break-system-packages | r timeout retries progress-bar format upgrade-strategy only-binary no-binary requirement";
const CARGO_SHARED =
  "v q verbose quiet locked offline frozen release r workspace all no-default-features all-features all-targets lib bins examples tests benches keep-going no-run no-fail-fast doc ignore-rust-version no-deps open allow-dirty allow-staged fix edition-idioms broken-code dev build optional no-optional dry-run aggressive recursive precise-version list unit-graph check version help future-incompat-report d e i | p j F package exclude jobs features bin example test bench profile message-format color rename path git branch tag rev registry vers vcs edition name depth prefix charset format-version filter-platform limit precise invert prune | timings";
const GO_BUILD =
  "v n x a i race msan asan work trimpath buildvcs linkshared json short failfast cover fullpath benchmem m u e deps test versions compiled export find changed retracted | p tags mod run skip bench count timeout parallel cpu list shuffle covermode coverpkg benchtime f go o coverprofile cpuprofile memprofile blockprofile mutexprofile | ";

/** Package managers and build tools. Subcommands and options that run a program by name are not listed. */
export const PACKAGES: Readonly<Record<string, Program>> = {
  npm: {
    stays: true,
    lines: [
      `*: ${NPM_SHARED}`,
      "test, t, tst, start, stop, restart, run, run-script, rum, urn:",
      "install, i, in, ins, add, ci, clean-install, install-test, it, install-ci-test, cit, uninstall, un, remove, rm, r, update, up, upgrade, dedupe, prune, rebuild, rb:",
      "ls, list, la, ll, outdated, view, v, info, show, search, s, find, explain, why, fund, audit, audit fix, audit signatures, doctor, ping, whoami, root, bin, prefix, docs, help, help-search, version, pack, publish, diff, query, sbom, dist-tag, dist-tags, deprecate, owner, bugs, repo, stars, shrinkwrap, completion, cache ls, cache verify, cache clean, pkg get, config get, config list, config ls:",
    ],
  },
  pnpm: {
    stays: true,
    lines: [
      `*: ${JS_LOCAL}`,
      "run>, run-script>, test>, t>, start>:",
      "install, i, add, remove, rm, uninstall, un, update, up, upgrade, dedupe, prune, rebuild, rb, fetch, import:",
      "ls, list, ll, la, outdated, why, audit, licenses, licenses list, root, bin, pack, publish, store path, store status, store prune, config get, config list, help:",
      "build>, lint>, dev>, typecheck>, format>, check>:",
    ],
  },
  yarn: {
    stays: true,
    lines: [
      `*: ${YARN}`,
      ": ",
      "run>, test>, start>, build>, lint>, dev>, typecheck>, format>, check>:",
      "install, add, remove, up, upgrade, outdated, list, info, why, audit, licenses, bin, pack, version, versions, help, dedupe, cache list, cache clean, workspaces info, workspaces list, config get, config list:",
    ],
  },
  pip: {
    stays: true,
    lines: [
      `*: ${PIP}`,
      "install, uninstall, list, show, freeze, check, index versions, hash, help, inspect, cache list, cache dir, cache info, config list, config get:",
    ],
  },
  cargo: {
    stays: true,
    lines: [
      `*: ${CARGO_SHARED}`,
      "build, b, check, c, test, t, bench, run, r, clean, tree, metadata, add, remove, rm, update, search, fetch, version, package, publish, new, init, generate-lockfile, info, locate-project, pkgid, verify-project, yank, fix, help:",
      `clippy, fmt, doc, d: -- ${CARGO_SHARED.replace(" | ", " | D W A ")}`,
    ],
  },
  go: {
    style: "single",
    stays: true,
    lines: [
      `*: ${GO_BUILD}`,
      "build, test, vet, run>, fmt, list, version, env, clean, doc, get, help, bug, mod tidy, mod download, mod graph, mod why, mod verify, mod init, mod vendor, work sync, work use, work init:",
    ],
  },
  pytest: {
    stays: true,
    readsWords: true,
    lines: [
      ": v q x s l h verbose quiet exitfirst showlocals lf ff nf sw last-failed failed-first new-first stepwise stepwise-skip collect-only co pdb trace-config no-header no-summary fixtures markers version help strict-markers strict-config runxfail disable-warnings disable-pytest-warnings cache-show setup-show setup-only setup-plan doctest-modules full-trace no-cov | k m n r W maxfail tb durations durations-min color capture ignore ignore-glob deselect verbosity dist timeout reruns cov cov-fail-under show-capture last-failed-no-failures lfnf | cov cov-report",
    ],
  },
  jest: {
    stays: true,
    lines: [
      ": b e f i o t u w all bail ci clearCache clearMocks colors coverage coverage debug detectLeaks detectOpenHandles expand forceExit json lastCommit listTests logHeapUsage no-cache no-coverage noStackTrace onlyChanged onlyFailures passWithNoTests randomize runInBand showSeed silent updateSnapshot verbose watch watchAll watchman help version | maxWorkers maxConcurrency testNamePattern testPathPattern testPathPatterns testTimeout changedSince seed shard | bail",
    ],
  },
  vitest: {
    stays: true,
    lines: [
      "*: u w h v run watch silent update passWithNoTests ui no-coverage coverage hideSkippedTests disable-console-intercept no-color logHeapUsage allowOnly dangerouslyIgnoreUnhandledErrors changed typecheck no-file-parallelism no-isolate expandSnapshotDiff clearScreen json | t testNamePattern bail retry testTimeout hookTimeout teardownTimeout maxConcurrency maxWorkers minWorkers shard exclude project mode slowTestThreshold reporter | coverage changed silent",
      ": ",
    ],
  },
  eslint: {
    stays: true,
    // Any other format names a file of code.
    values: { f: /^(?:json|stylish|unix|compact|html)$/, format: /^(?:json|stylish|unix|compact|html)$/ },
    lines: [
      ": h v fix fix-dry-run quiet cache color no-color debug no-error-on-unmatched-pattern no-warn-ignored pass-on-no-patterns no-inline-config report-unused-disable-directives stdin version help exit-on-fatal-error stats no-ignore | ext max-warnings rule ignore-pattern env global cache-strategy fix-type stdin-filename f format",
    ],
  },
  tsc: {
    stays: true,
    readsWords: true,
    lines: [
      ": b w h v noEmit build watch pretty strict skipLibCheck listFiles listFilesOnly extendedDiagnostics diagnostics incremental showConfig traceResolution verbose clean dry force noUnusedLocals noUnusedParameters noImplicitAny strictNullChecks esModuleInterop allowJs checkJs version help init all declaration emitDeclarationOnly | p project target t module m lib jsx moduleResolution types pretty",
    ],
  },
  prettier: {
    stays: true,
    lines: [
      ": w c l u write check list-different ignore-unknown no-config no-editorconfig cache single-quote no-semi jsx-single-quote no-color version help no-error-on-unmatched-pattern | tab-width print-width trailing-comma log-level end-of-line prose-wrap quote-props arrow-parens cache-strategy",
    ],
  },
};
