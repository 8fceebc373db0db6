/** Builds the page of the plugin `web` for browsers. It loads nothing from other servers. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const source = fileURLToPath(new URL("page/", import.meta.url));
const workerSource = fileURLToPath(new URL("worker/worker.ts", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
/** Smaller files do not become smaller by compression. */
const LEAST_BYTES = 1_024;

/** Builds the page into a folder. Returns the source files that are part of it, relative to the repository. */
export async function buildPage(folder) {
  const given = process.env.NODE_ENV;
  // Set here because Vite takes the value from the shell, and libraries have different scripts for each value.
  process.env.NODE_ENV = "production";
  try {
    return await buildFiles(folder);
  } finally {
    if (given === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = given;
  }
}

async function buildFiles(folder) {
  const { output } = await build({
    configFile: false,
    // The page must not depend on environment variables of the person who builds it.
    envDir: false,
    root: source,
    publicDir: "static",
    // Relative, so that the page also works below a path of a proxy.
    base: "./",
    logLevel: "warn",
    plugins: [firstAndRest],
    define: { SCOREL_VERSION: JSON.stringify(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version) },
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: "page",
      target: "es2022",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Libraries mark modules for React's server components, which are not used here.
      rolldownOptions: { checks: { moduleLevelDirective: false, bundlerTimings: false } },
    },
  });
  await buildWorker(folder);
  compress(folder);
  compress(join(folder, "page"));
  const inputs = output.flatMap(({ moduleIds = [] }) => moduleIds).filter((id) => !id.startsWith("\0"));
  inputs.push(workerSource);
  return [...new Set(inputs.map((id) => relative(root, id.split("?", 1)[0])))];
}

/** Writes the service worker with the names and a digest of the files that it caches, so that it changes whenever one of them does. */
async function buildWorker(folder) {
  const files = readdirSync(join(folder, "page"))
    .sort()
    .map((name) => `page/${name}`);
  const digest = createHash("sha256");
  for (const file of ["index.html", ...files]) digest.update(readFileSync(join(folder, file)));
  const shell = { files, digest: digest.digest("base64url").slice(0, 22) };
  await build({
    configFile: false,
    envDir: false,
    root: dirname(workerSource),
    publicDir: false,
    logLevel: "warn",
    define: { SCOREL_SHELL: JSON.stringify(shell) },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      reportCompressedSize: false,
      rolldownOptions: {
        input: workerSource,
        output: { format: "iife", entryFileNames: "worker.js" },
        checks: { bundlerTimings: false },
      },
    },
  });
}

/** Scripts that other clients load when needed, but that every page needs at once. */
const FIRST = ["remote-client", "proof"];

/** Preloads those scripts. Also lists in the page the scripts that its first view does not need; the page loads them when it is idle. */
const firstAndRest = {
  name: "first-and-rest",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter(({ type, isEntry }) => type === "chunk" && !isEntry);
      const later = chunks.filter(({ fileName }) => !html.includes(fileName));
      const [first, rest] = [true, false].map((isFirst) =>
        later.filter(({ name }) => FIRST.includes(name) === isFirst).map(({ fileName }) => `./${fileName}`),
      );
      if (first.length !== FIRST.length) throw new Error(`The page has no scripts of these names: ${FIRST.join(", ")}`);
      return [
        ...first.map((href) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href },
          injectTo: "head",
        })),
        { tag: "meta", attrs: { name: "scorel-rest", content: rest.join(" ") }, injectTo: "head" },
      ];
    },
  },
};

/** Writes a compressed copy of each file that becomes smaller by it. */
function compress(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (!entry.isFile() || /\.(gz|png)$/.test(entry.name)) continue;
    const bytes = readFileSync(file);
    if (bytes.length >= LEAST_BYTES) writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
