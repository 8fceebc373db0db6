/**
 * Builds the command into dist/: bin.js, the modules that most commands need in one file, each other module in its own file
 * (see docs/decisions/0014), and the shipped presets.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { typesOnly, writeTypes } from "../../plugins/extensions/declarations/write.mjs";
import { bundlePlugins } from "../../plugins/model/bundle.mjs";
import { buildPage } from "../../plugins/web/bundle.mjs";
import { describeFailures } from "./build-failures.mjs";
import { pack } from "./pack.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The build goes here and is then renamed to dist/, so that a running command never finds an unfinished build. */
const dist = join(root, "dist.next");

/** Packages that are not bundled, because they look for files beside their own: jiti its transform, ripgrep its binary. */
const external = ["jiti", "@vscode/ripgrep"];

/**
 * Sources that every command with sessions needs, and a headless turn at a background host, in addition to host plugins. The model's plugin is
 * among them because most people have a table `[model]`, which every command checks.
 */
const first = [
  "presets/start/launch.ts",
  "plugins/cli/exit-code.ts",
  "plugins/cli/process/own-process.ts",
  "plugins/cli/process/signals.ts",
  "plugins/cli/parser.ts",
  "plugins/daemon/own-socket.ts",
  "plugins/kit/text/plain.ts",
  "plugins/socket/socket.ts",
  "plugins/extensions/commands/noted.ts",
  "plugins/extensions/load/find.ts",
  "plugins/extensions/rows/rehearsal.ts",
  "plugins/extensions/words.ts",
  "plugins/host/client/remote-client.ts",
  "plugins/host/commands/session-views.ts",
  "plugins/model/index.ts",
  "plugins/print/turn.ts",
  "plugins/projects/book.ts",
];

/** Sources that a headless turn in the same process loads lazily, in addition to session plugins. */
const usual = [
  "plugins/agent/turn/loop.ts",
  "plugins/checkpoints/record/tracker.ts",
  "plugins/coding/shell/command.ts",
  "plugins/coding/guard/guard.ts",
  "plugins/coding/shell/output.ts",
  "plugins/local/files/files.ts",
  "plugins/local/processes/processes.ts",
  "plugins/model/providers/registry.ts",
  "plugins/kit/process/ledger.ts",
  "plugins/model/model.ts",
  "plugins/model/wire/stream.ts",
  "plugins/permissions/guard.ts",
  "plugins/projects/register.ts",
  "plugins/trust/use/projects.ts",
  "plugins/skills/match/turn-start.ts",
  "pi-ai/dist/providers/openai-completions.js",
];

const options = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};

/** Makes bin.ts and help.ts import packed-launch.ts instead of launch.ts. */
const packedLaunch = {
  name: "packed-launch",
  setup(hooks) {
    hooks.onResolve({ filter: /\/launch\.ts$/ }, () => ({ path: join(root, "presets/bundle/packed-launch.ts") }));
  },
};

const plugins = readdirSync(join(root, "plugins")).filter((id) => existsSync(join(root, "plugins", id, "index.ts")));
rmSync(dist, { recursive: true, force: true });
const results = await Promise.allSettled([writeTypes(join(dist, "types"), virtualNames()), writeCode()]);
const failures = results.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
if (failures.length === 0) putInPlace();
else {
  rmSync(dist, { recursive: true, force: true });
  for (const text of describeFailures(failures)) console.error(text);
  process.exitCode = 1;
}

/** Writes everything but the declarations. */
async function writeCode() {
  const chunks = await bundle();
  const manifests = (ids) => ids.map((id) => `plugins/${id}/index.ts`);
  await pack(chunks, dist, {
    "first.js": [...first, ...manifests(hostPlugins())],
    "sessions.js": [...usual, ...manifests(plugins)],
  });
  const bin = await bundleAlone("presets/start/bin.ts", "bin.js", "cjs");
  copyPresets();
  const testKit = await bundleAlone("presets/bundle/packed-testing.ts", "test-kit.js", "cjs");
  const workers = [await bundleImageWorker(), await bundleWorker("fetch")];
  const page = await buildPage(join(dist, "web/built"));
  writeNotices(chunks.metafile, bin.metafile, testKit.metafile, ...workers.map(({ metafile }) => metafile), {
    inputs: Object.fromEntries(page.map((file) => [file, {}])),
  });
  makeExecutable();
  await writeHelp();
}

/** The ids of the plugins that are loaded once in each process. */
function hostPlugins() {
  const source = readFileSync(join(root, "presets/catalogue.ts"), "utf8");
  return Array.from(source.matchAll(/^ {2}"?([\w-]+)"?: \{ scope: "host"/gm), ([, id]) => id);
}

/** The modules that extensions may import. */
function virtualNames() {
  const source = readFileSync(join(root, "plugins/extensions/load/virtual-modules.ts"), "utf8");
  return Array.from(source.matchAll(/^ {2}"?([\w@/.-]+)"?: \(\) => import\(/gm), ([, name]) => name);
}

/** Bundles all plugins. Each is an entry point, so that the loader's `import("@scorel/<id>")` loads a module plugins/<id>.js. */
function bundle() {
  return build({
    ...options,
    entryPoints: [
      { in: "presets/start/launch.ts", out: "launch" },
      { in: "presets/testing/index.ts", out: "testing" },
      { in: "plugins/extensions/load/run-tests.ts", out: "run-tests" },
      ...plugins.map((id) => ({ in: `plugins/${id}/index.ts`, out: `plugins/${id}` })),
    ],
    outdir: dist,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    format: "esm",
    external,
    plugins: bundlePlugins,
    write: false,
  });
}

/** Bundles a source into one file; bin.js is CommonJS because Node starts it faster. */
function bundleAlone(source, name, format) {
  return build({
    ...options,
    entryPoints: [source],
    outfile: join(dist, name),
    format,
    plugins: [packedLaunch],
    ...(format === "cjs" && {
      define: { "import.meta.url": "__url" },
      banner: { js: '#!/usr/bin/env node\nconst __url = require("node:url").pathToFileURL(__filename).href;' },
    }),
  });
}

/** Bundles a plugin's worker.js to the place where code in dist/chunks/ and dist/plugins/ looks for it. */
function bundleWorker(id) {
  return build({
    ...options,
    entryPoints: [`plugins/${id}/worker.js`],
    outfile: join(dist, id, "worker.js"),
    format: "cjs",
  });
}

/** Bundles the image worker, with its library's WebAssembly file. */
async function bundleImageWorker() {
  const worker = await bundleWorker("images");
  const [library] = Object.keys(worker.metafile.inputs).filter((file) => file.endsWith("/photon_rs.js"));
  const wasm = "photon_rs_bg.wasm";
  cpSync(join(root, dirname(library), wasm), join(dist, "images", wasm));
  return worker;
}

/**
 * Copies files to the places where code in dist/chunks/ and dist/plugins/ looks for them: `../presets/` and `../containment/`, as in the
 * sources.
 */
function copyPresets() {
  for (const file of readdirSync(join(root, "presets")).filter((name) => name.endsWith(".toml"))) {
    cpSync(join(root, "presets", file), join(dist, "presets", file));
  }
  cpSync(join(root, "plugins/extensions/containment/watchdog-thread.js"), join(dist, "containment/watchdog-thread.js"));
}

/** Writes the licenses of the bundled packages into THIRD-PARTY.txt, each license text once. */
function writeNotices(...metafiles) {
  const inPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
  const onDisk = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).filter((file) => existsSync(join(root, file)));
  const texts = new Map();
  const bundled = onDisk.flatMap((file) => file.match(inPackage)?.[0] ?? []);
  for (const folder of new Set([...bundled, ...typesOnly])) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.|-|$)/i.test(entry));
    const text = file ? readFileSync(join(root, folder, file), "utf8").trim() : `Licensed under ${license}.`;
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`].sort());
  }
  const notices = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`).sort();
  writeFileSync(join(dist, "THIRD-PARTY.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

/** Writes the texts of --help into help.json, so that showing them loads no plugin. */
async function writeHelp() {
  await bundleAlone("presets/bundle/help.ts", "help.mjs", "esm");
  const script = join(dist, "help.mjs");
  const home = mkdtempSync(join(tmpdir(), "scorel-build-"));
  try {
    const env = { ...process.env, HOME: home, USERPROFILE: home };
    writeFileSync(join(dist, "help.json"), execFileSync(process.execPath, [script], { cwd: home, env }));
  } finally {
    rmSync(home, { recursive: true, force: true });
    rmSync(script);
  }
}

function putInPlace() {
  const place = join(root, "dist");
  rmSync(place, { recursive: true, force: true });
  renameSync(dist, place);
}

/** Makes bin.js executable, and marks dist/ as CommonJS, because the package around it is `"type": "module"`. */
function makeExecutable() {
  chmodSync(join(dist, "bin.js"), 0o755);
  writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
}
