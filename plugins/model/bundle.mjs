/** Changes that esbuild makes to the libraries for model requests, so that a turn loads only a third of them: see docs/decisions/0009. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Changes one file of a library while it is bundled. The build fails if the change did not apply, as after an update of the library. */
function patch(name, filter, change, isChanged) {
  return {
    name,
    setup(hooks) {
      hooks.onLoad({ filter }, ({ path }) => ({ contents: changed(name, path, change, isChanged), loader: "js" }));
    },
  };
}

/** Returns a test for files that match one of the patterns. The build fails if a pattern matched no file, as after a file has moved. */
function filesLike(hooks, name, patterns) {
  const unseen = new Set(patterns);
  hooks.onEnd(() => {
    if (unseen.size === 0) return;
    throw new Error(`no file matches ${[...unseen].join(", ")}: look at "${name}" in plugins/model/bundle.mjs again`);
  });
  return (path) => {
    const found = patterns.filter((pattern) => pattern.test(path));
    for (const pattern of found) unseen.delete(pattern);
    return found.length > 0;
  };
}

function changed(name, path, change, isChanged = () => true) {
  const source = readFileSync(path, "utf8");
  const contents = change(source);
  if (contents === source || !isChanged(contents))
    throw new Error(`${path} has changed: look at "${name}" in plugins/model/bundle.mjs again`);
  return contents;
}

/** pi-ai hides one of its imports from bundlers. With a literal import, that provider becomes a lazy chunk like the others. */
const literalImports = patch("literal-imports", /pi-ai[\\/]dist[\\/]providers[\\/]register-builtins\.js$/, (source) =>
  source.replace(/importNodeOnlyProvider\((?="\.)/, "import("),
);

/** Leaves out zod's error messages in fifty languages, which are a third of its code. Only English is kept. */
const englishOnly = patch(
  "english-only",
  /zod[\\/]v4[\\/]locales[\\/]index\.js$/,
  () => 'export { default as en } from "./en.js";',
);

/**
 * OpenAI's client splits a reply into events by copying the rest of it for each event, and into lines byte by byte. Replies reach it as
 * complete events with plain line breaks (plugins/model/wire/reply-passage.ts), so that a single split into lines is enough.
 */
const splitLines = patch("split-lines", /openai[\\/]core[\\/]streaming\.mjs$/, (source) =>
  source.replace(
    /const lineDecoder = new LineDecoder\(\);(\s*const iter = .*;)\s*for await \(const sseChunk of iterSSEChunks\(iter\)\) \{\s*for \(const line of lineDecoder\.decode\(sseChunk\)\) \{([\s\S]*?)of lineDecoder\.flush\(\)\)/,
    `const decoder = new TextDecoder();
    let rest = "";$1
    for await (const bytes of iter) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\\n");
      rest = lines.pop();
      for (const line of lines) {$2of rest === "" ? [] : [rest])`,
  ),
);

/**
 * Adapters parse a call's arguments from the beginning whenever a piece arrives, which takes quadratic time. With this change they only do
 * so when the length has doubled, and at the end.
 */
const rarelyParsed = patch(
  "rarely-parsed",
  /pi-ai[\\/]dist[\\/]providers[\\/](?:anthropic|openai-completions|openai-responses-shared)\.js$/,
  (source) => {
    const atEachPiece =
      /((?:\+= event\.delta(?:\.partial_json)?|\+ toolCall\.function\.arguments);\s*)((\w+)\.arguments = parseStreamingJson\((\3\.partial(?:Json|Args))\);)/;
    return source.replace(atEachPiece, "$1if (hasDoubled($3, $4)) $2") + HAS_DOUBLED;
  },
  (changed) => changed.includes("if (hasDoubled("),
);
const HAS_DOUBLED = `
const parsedLengths = new WeakMap();
function hasDoubled(block, json) {
  if (json.length < 2 * (parsedLengths.get(block) ?? 0)) return false;
  parsedLengths.set(block, json.length);
  return true;
}`;

/**
 * Loads the library's validator (typebox) only for tools with parameters. Scorel passes tools without any, and validates the arguments
 * itself.
 */
const lazyValidation = patch("lazy-validation", /pi-agent-core[\\/]dist[\\/]agent-loop\.js$/, (source) =>
  source
    .replace(", validateToolArguments", "")
    .replace(
      "validateToolArguments(tool, preparedToolCall)",
      'Object.keys(tool.parameters).length === 0 ? preparedToolCall.arguments : (await import("@mariozechner/pi-ai")).validateToolArguments(tool, preparedToolCall)',
    ),
);

/**
 * Providers only need the functions that compute prices. Leaves out the table of a thousand models, which is only needed to look models up.
 */
const modelFunctions = {
  name: "model-functions",
  setup(hooks) {
    hooks.onResolve({ filter: /^\.\.?\/models\.js$/ }, ({ importer, namespace, resolveDir, path }) =>
      namespace === "lean" || /pi-ai[\\/]dist[\\/]providers[\\/]/.test(importer)
        ? { path: join(resolveDir, path), namespace: "model-functions" }
        : undefined,
    );
    hooks.onLoad({ filter: /.*/, namespace: "model-functions" }, ({ path }) => ({
      contents: changed("model-functions", path, (source) =>
        source.replace('import { MODELS } from "./models.generated.js";', "const MODELS = {};"),
      ),
      loader: "js",
    }));
  },
};

/**
 * Extensions may import all of pi-ai, so the bundle contains all of it, and an import of its index loads everything. These files need only
 * a few small modules of it and import just those: the same instances, except for the functions about models.
 */
const leanImports = {
  name: "lean-imports",
  setup(hooks) {
    const isLean = filesLike(hooks, "lean-imports", [
      /pi-agent-core[\\/]dist[\\/]agent-loop\.js$/,
      /plugins[\\/]agent[\\/](?:[a-z]+[\\/])?[a-z-]+\.ts$/,
      /plugins[\\/]model[\\/]wire[\\/]reply\.ts$/,
      /plugins[\\/]model[\\/]offline[\\/]offline\.ts$/,
    ]);
    const filter = /^@mariozechner\/pi-(ai|agent-core)$/;
    hooks.onResolve({ filter }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      // The lazy import in the agent loop needs the whole library.
      const isWhole = kind === "dynamic-import" && importer.endsWith("agent-loop.js");
      if (pluginData === "lean" || isWhole || !isLean(importer)) return undefined;
      const index = await hooks.resolve(path, { importer, kind, resolveDir, pluginData: "lean" });
      return { path: index.path, namespace: "lean" };
    });
    hooks.onLoad({ filter: /.*/, namespace: "lean" }, ({ path }) => ({
      contents: path.includes("pi-agent-core") ? LEAN_CORE : LEAN_AI,
      resolveDir: dirname(path),
    }));
  },
};
const LEAN_CORE = 'export { runAgentLoopContinue } from "./agent-loop.js";';
const LEAN_AI = `
  export * from "./utils/event-stream.js";
  export { streamSimple } from "./stream.js";
  export * from "./utils/overflow.js";
  export { clampThinkingLevel, getSupportedThinkingLevels } from "./models.js";`;

/** The first use of the built-in fetch classes takes 15 ms. These files get the small replacements in plugins/kit/net/light-fetch.ts. */
const lightFetch = {
  name: "light-fetch",
  setup(hooks) {
    const light = fileURLToPath(new URL("../kit/net/light-fetch.ts", import.meta.url));
    const files = [
      /(?:openai|@anthropic-ai[\\/]sdk)[\\/](?:client|internal[\\/](?:headers|utils[\\/]log))\.mjs$/,
      /@google[\\/]genai[\\/]dist[\\/]node[\\/]index\.mjs$/,
      /plugins[\\/]model[\\/]wire[\\/](?:[a-z]+-)?fetch\.ts$/,
    ];
    const isLight = filesLike(hooks, "light-fetch", files);
    hooks.onLoad({ filter: new RegExp(files.map(({ source }) => source).join("|")) }, ({ path }) => {
      isLight(path);
      const source = readFileSync(path, "utf8");
      const used = ["Headers", "Response", "Request", "FormData"].filter((name) =>
        new RegExp(`\\b(?:new|instanceof) ${name}\\b|\\b${name}\\.json\\(`).test(source),
      );
      if (used.length === 0)
        throw new Error(`${path} has changed: look at "light-fetch" in plugins/model/bundle.mjs again`);
      const contents = `import { ${used.join(", ")} } from ${JSON.stringify(light)};\n${source}`;
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
};

/**
 * The clients of OpenAI and Anthropic create an object for each part of the service, and import helpers for it: more than half of their
 * code. Adapters only use chat completions, responses and messages. The classes of everything else are left empty.
 */
const emptyResources = {
  name: "empty-resources",
  setup(hooks) {
    const isUnused = filesLike(hooks, "empty-resources", UNUSED_RESOURCES);
    hooks.onLoad({ filter: /(?:openai|@anthropic-ai[\\/]sdk)[\\/](?:resources|lib)[\\/].*\.mjs$/ }, ({ path }) => {
      const classes = Array.from(
        readFileSync(path, "utf8").matchAll(/^export (?:class|const|function) (\w+)/gm),
        ([, name]) => name,
      );
      // A file without classes only names the exports of others.
      if (classes.length === 0 || !isUnused(path)) return undefined;
      return { contents: classes.map((name) => `export class ${name} {}`).join("\n"), loader: "js" };
    });
  },
};
const UNUSED_RESOURCES = [
  /openai[\\/]resources[\\/](?:audio|batches|beta|containers|conversations|embeddings|evals|files|fine-tuning|graders)\b/,
  /openai[\\/]resources[\\/](?:images|models|moderations|realtime|skills|uploads|vector-stores|videos|webhooks)\b/,
  /openai[\\/]lib[\\/](?:ChatCompletion(?:Stream|Runner|StreamingRunner)|responses[\\/]ResponseStream)\.mjs$/,
  /@anthropic-ai[\\/]sdk[\\/]resources[\\/](?:beta|models)\b/,
  /@anthropic-ai[\\/]sdk[\\/]lib[\\/]MessageStream\.mjs$/,
];

export const bundlePlugins = [
  emptyResources,
  literalImports,
  englishOnly,
  lazyValidation,
  modelFunctions,
  leanImports,
  lightFetch,
  rarelyParsed,
  splitLines,
];
