import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { virtualNames } from "../plugins/extensions/load/virtual-modules.ts";
import { given, knownWords } from "../plugins/extensions/words.ts";
import { catalogue } from "../presets/catalogue.ts";
import { featureNamesOf, importsOf, type Manifest, type SourceTree, violationsOf } from "./architecture.ts";
import { keysWithin } from "./docs/source.ts";
import { filesIn, packages, readManifest, readSourceTree, root } from "./repository.ts";
import { closedSeamsOf, givenServices, sealedServices } from "./seams.ts";

describe("this repository", () => {
  it("keeps the dependency rule", () => {
    expect(violationsOf(readSourceTree())).toEqual([]);
  });

  it("has nothing at its top level but the source folders and files that tools require", () => {
    const tree = ["docs", "kernel", "plugins", "presets", "skills", "test", "README.md", "LICENSE"];
    const tools = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "tsconfig.json"];
    const made = ["dist", "node_modules"];
    const allowed = new Set([...tree, ...tools, ...made]);
    expect(readdirSync(root).filter((name) => !name.startsWith(".") && !allowed.has(name))).toEqual([]);
  });

  it("names every package after its folder", () => {
    const { manifests } = readSourceTree();
    const named = (folder: string) => manifests[folder]?.name;
    expect(packages.map(named)).toEqual(packages.map((folder) => `@scorel/${folder.replace("plugins/", "")}`));
  });

  it("installs with the command exactly the packages that the bundle leaves out", () => {
    const { dependencies } = readManifest("") as Required<Manifest>;
    const build = readFileSync(join(root, "presets/bundle/build.mjs"), "utf8");
    const external = JSON.parse(/const external = (\[.*\]);/.exec(build)?.[1] ?? "[]") as string[];
    expect(Object.keys(dependencies).sort()).toEqual(external.filter((name) => name !== "@opentelemetry/api").sort());
  });
});

it("plugins make folders with makeFolder of the kit, not with the option `recursive` of mkdir, which may never return", () => {
  const unending = filesIn("plugins").filter(
    (name) =>
      name.endsWith(".ts") && /\bmkdir(?:Sync)?\([^;]*\brecursive: true/.test(readFileSync(join(root, name), "utf8")),
  );
  expect(unending).toEqual([]);
});

it("tests that a machine cannot run name what they need (test/optional.ts)", () => {
  const skipping = filesIn("test").filter((name) => {
    if (!name.endsWith(".test.ts") || name === "test/architecture.test.ts") return false;
    return /\bskip(?:If)?\(|\brunIf\(/.test(readFileSync(join(root, name), "utf8"));
  });
  expect(skipping).toEqual([]);
});

describe("the seams of shipped plugins", () => {
  const { sources } = readSourceTree();
  const shipped = Object.fromEntries(
    Object.entries(sources).filter(([file]) => /^plugins\/(?!kit\/).*\.ts$/.test(file)),
  );
  const { contributions, hooks, services } = knownWords;
  const open = { modules: virtualNames, contributions, hooks, services };

  it("can all be reached by extensions", () => {
    expect(closedSeamsOf({ sources: shipped, ...open })).toEqual([]);
  });

  it.each([
    ['import { Log } from "@scorel/kernel/log";', "imports @scorel/kernel/log, which extensions cannot import"],
    ['import { stop } from "@scorel/agent/loop";', "imports @scorel/agent/loop, which extensions cannot import"],
    ['declare module "@scorel/kernel" { interface Hooks { mine: 1 } }', "adds to Hooks outside of its contract"],
    ["const inner = ctx as unknown as { plugins: object };", "casts ctx"],
    ['ctx.collect("secretParts");', 'collect("secretParts"), a name that extensions do not know'],
    ['this.env.ctx.defineHook("beforeAll", "bail");', 'defineHook("beforeAll"), a name that extensions do not know'],
    ['ctx.provide("backdoor", {});', 'provide("backdoor"), a name that extensions do not know'],
    ['ctx.provide("files", files, { sealed: true });', 'seals the service "files" without a reason'],
  ])("are found when extensions cannot reach them: %s", (source, reason) => {
    const found = closedSeamsOf({ sources: { "plugins/chat/index.ts": source }, ...open });
    expect(found).toEqual([expect.stringContaining(`plugins/chat/index.ts: ${reason}`)]);
  });

  it("are fields of a manifest that an extension may have, too", async () => {
    const plugins = await Promise.all(Object.values(catalogue).map(async ({ load }) => (await load()).default));
    const fields = new Set(plugins.flatMap((plugin) => Object.keys(plugin)));
    expect([...fields].filter((field) => !knownWords.fields.includes(field))).toEqual([]);
  });

  it("include services that only the start-up provides, or that cannot be wrapped, only with a reason", () => {
    expect([...given].sort()).toEqual(Object.keys(givenServices).sort());
    const starts = ["presets/start/launch.ts", "plugins/host/sessions/starter.ts"];
    const passed = starts.flatMap((file) => keysWithin(sources[file] ?? "", "services"));
    expect(passed.sort()).toEqual(Object.keys(givenServices).sort());
    const sealed = Object.values(shipped).flatMap((source) => [
      ...source.matchAll(/\.provide\("(\w+)",.*sealed: true/g),
    ]);
    expect(sealed.map(([, name]) => name).sort()).toEqual(Object.keys(sealedServices).sort());
  });

  it("do not include state in the kit that plugins could share", () => {
    const kept = Object.entries(sources).filter(
      ([file, source]) => file.startsWith("plugins/kit/") && /^(export )?(let|var) /m.test(source),
    );
    // The identity of this process, and the files that it has inherited, read once.
    expect(kept.map(([file]) => file)).toEqual(["plugins/kit/process/identity.ts", "plugins/kit/process/inherited.ts"]);
  });
});

describe("the scanner", () => {
  it("sees imports of every form, and when each is needed", () => {
    const source = `
      import a from "a"; import type { B } from "b"; import { type C } from "c"; import "d"; import type {} from "e";
      export * from "f"; export type { G } from "g"; export { h } from "h";
      const i = await import("i"); const j = () => import(\`j\`); type K = import("k").K; const l = typeof import("l");
      const m = require("m"); const n = require.resolve("n"); import o = require("o");
      await using p = open();`;
    const found = Object.fromEntries(importsOf(source).map(({ from, when }) => [from, when]));
    const types = { b: "types", e: "types", g: "types", k: "types" };
    const load = { a: "load", c: "load", d: "load", f: "load", h: "load", m: "load", n: "load", o: "load" };
    expect(found).toEqual({ ...types, ...load, i: "later", j: "later", l: "later" });
  });

  it("is not confused by comments, strings, templates and regular expressions", () => {
    const source = `
      // import "a";
      /* import "b"; */
      const c = 'import "c"', d = \`import "d" \${/import "e"/.source}\`, f = 4 / 2 /* " */;`;
    expect(importsOf(source)).toEqual([]);
  });

  it("finds feature words in names, not in prose or inside other words", () => {
    const source = `
      /** A tool of the model. */
      interface Row { toolCall: string; "skill-file": 1; stool: 1; remodelled: 1 }
      const runTools = "model", MODEL_ID = 1; class A { #modelId = 1 }`;
    expect(featureNamesOf(source).sort()).toEqual(["MODEL_ID", "modelId", "runTools", "skill-file", "toolCall"]);
  });
});

describe("a valid tree", () => {
  it("has no violations", () => {
    expect(violationsOf(tree({}))).toEqual([]);
  });
});

describe("a violation is found", () => {
  it.each([
    ["kernel/log.ts", 'import "@scorel/agent";', "the kernel imports tapable, zod, @scorel/kit/values, node:*"],
    ["kernel/log.ts", 'import "smol-toml";', "the kernel imports tapable, zod, @scorel/kit/values, node:*"],
    ["kernel/log.ts", 'import "fs";', "the kernel imports tapable, zod, @scorel/kit/values, node:*"],
    ["kernel/log.ts", 'const x = await import("../plugins/agent/index.ts");', "it lies outside the package"],
    ["kernel/tree/tree.ts", 'import "../log/log.ts";', "in the kernel, log is built on tree"],
    ["kernel/log.ts", "export const modelId = 1;", "the kernel knows no feature, but says modelId"],
    ["plugins/chat/index.ts", 'import { run } from "@scorel/agent";', "only its contract may be imported"],
    ["plugins/chat/index.ts", 'import type { Run } from "@scorel/agent";', "only its contract may be imported"],
    ["plugins/chat/index.ts", 'const x = () => import("@scorel/agent");', "only its contract may be imported"],
    ["plugins/chat/index.ts", 'import type { Run } from "@scorel/agent/loop";', "only its contract may be imported"],
    ["plugins/chat/index.ts", 'import { Run } from "@scorel/agent/contract";', "use `import type`"],
    ["plugins/chat/index.ts", 'import { type Run } from "@scorel/agent/contract";', "use `import type`"],
    ["plugins/chat/index.ts", 'export * from "@scorel/agent/contract";', "use `import type`"],
    ["plugins/chat/index.ts", 'import type { Run } from "../agent/contract.ts";', "it lies outside the package"],
    ["plugins/chat/index.ts", 'import "../chatter/index.ts";', "it lies outside the package"],
    ["plugins/chat/index.ts", 'import "../../package.json";', "it lies outside the package"],
    ["plugins/chat/index.ts", 'import { z } from "zod";', "@scorel/chat does not list it"],
    ["plugins/chat/index.ts", 'import "vitest";', "@scorel/chat does not list it"],
    ["plugins/chat/index.ts", 'import type { Row } from "@scorel/model/contract";', "@scorel/chat does not list it"],
    [
      "plugins/kit/text.ts",
      'import type { Run } from "@scorel/agent/contract";',
      "the kit imports neither the kernel nor a plugin",
    ],
    [
      "plugins/kit/text.ts",
      'import { newId } from "@scorel/kernel";',
      "the kit imports neither the kernel nor a plugin",
    ],
    [
      "kernel/log.ts",
      'import { plain } from "@scorel/kit/text";',
      "the kernel imports tapable, zod, @scorel/kit/values, node:*",
    ],
    ["presets/load.ts", 'import agent from "@scorel/agent";', "presets load a plugin when it is asked for"],
    ["presets/load.ts", 'import "../kernel/log.ts";', "it lies outside the package"],
    ["kernel/log.ts", 'import type { Log } from "./log.ts";', "kernel/log.ts: imports form a cycle"],
  ])("%s: %s", (file, source, reason) => {
    const { sources } = tree({});
    const found = violationsOf(tree({ [file]: `${sources[file] ?? ""}\n${source}` }));
    expect(found).toEqual([expect.stringContaining(reason)]);
    expect(found[0]).toContain(file);
  });

  it("in files that import each other's types, also through other packages", () => {
    const shows = { exports: { "./contract": "./contract.ts" } };
    const sources = {
      "plugins/agent/contract.ts": 'import type { Line } from "@scorel/chat/contract";',
      "plugins/chat/contract.ts": 'import type { Run } from "@scorel/agent/contract";',
    };
    const found = violationsOf(
      tree(sources, {
        "plugins/agent": { ...agent, ...shows, devDependencies: { "@scorel/chat": "workspace:*" } },
        "plugins/chat": { ...chat, ...shows },
      }),
    );
    expect(found).toEqual([
      "plugins/agent/contract.ts, plugins/chat/contract.ts: imports form a cycle",
      "agent, chat: these plugins import each other in a cycle",
    ]);
  });

  it("in plugins that import types of each other through different files, without a circle of files", () => {
    const shows = { exports: { "./contract": "./contract.ts" } };
    const sources = {
      "plugins/agent/turn.ts": 'import type { Line } from "@scorel/chat/contract";',
      "plugins/chat/contract.ts": "",
    };
    const found = violationsOf(
      tree(sources, {
        "plugins/agent": { ...agent, ...shows, devDependencies: { "@scorel/chat": "workspace:*" } },
        "plugins/chat": { ...chat, ...shows },
      }),
    );
    expect(found).toEqual(["agent, chat: these plugins import each other in a cycle"]);
  });

  it("in a file with a lazy import of one that needs it, also in a folder and through a third one", () => {
    const sources = {
      "presets/start/launch.ts": 'export const start = () => import("./rescue.ts");',
      "presets/start/rescue.ts": 'import type { Layer } from "../layers/layer.ts"; import "./flags.ts";',
      "presets/start/flags.ts": "",
      "presets/layers/layer.ts": 'import "../start/launch.ts";',
    };
    const cycle = "presets/layers/layer.ts, presets/start/launch.ts, presets/start/rescue.ts";
    expect(violationsOf(tree(sources))).toEqual([`${cycle}: imports form a cycle`]);
  });

  it("in a manifest that lists an unused package", () => {
    const found = violationsOf(
      tree({}, { "plugins/chat": { ...chat, dependencies: { ...chat.dependencies, cac: "7.1.0" } } }),
    );
    expect(found).toEqual(["plugins/chat/package.json: cac is listed and never imported"]);
  });

  it("in a version that is a range, or differs between packages", () => {
    const range = { ...agent, dependencies: { ...agent.dependencies, zod: "^4.6.7" } };
    const other = { ...agent, dependencies: { ...agent.dependencies, zod: "4.6.6" } };
    const says = "plugins/agent/package.json: zod";
    expect(violationsOf(tree({}, { "plugins/agent": range }))).toEqual([`${says} has no exact version: ^4.6.7`]);
    expect(violationsOf(tree({}, { "plugins/agent": other }))).toEqual([`${says} is 4.6.6 here and 4.6.7 elsewhere`]);
  });
});

const agent = { name: "@scorel/agent", dependencies: { "@scorel/kernel": "workspace:*", zod: "4.6.7" } };
const kit = { name: "@scorel/kit", exports: { "./*": "./*.ts" } };
const chat = {
  name: "@scorel/chat",
  dependencies: { "@scorel/kernel": "workspace:*", "@scorel/kit": "workspace:*" },
  devDependencies: { "@scorel/agent": "workspace:*", "@scorel/host": "workspace:*", vitest: "4.1.12" },
};

/** A small valid tree, changed where a case asks for it. */
function tree(sources: SourceTree["sources"], manifests: SourceTree["manifests"] = {}): SourceTree {
  return {
    sources: {
      "kernel/log.ts":
        'import { z } from "zod"; import { Hook } from "tapable"; import { copy } from "@scorel/kit/values/copy"; import "node:fs"; import "./store.ts";',
      "plugins/agent/index.ts": 'import { z } from "zod"; import { definePlugin } from "@scorel/kernel";',
      "plugins/chat/index.ts": `
        import { definePlugin } from "@scorel/kernel"; import type { Run } from "@scorel/agent/contract";
        import { connect } from "@scorel/host/client"; import { plain } from "@scorel/kit/text"; import type {} from "vitest"; import "./view/page.ts"`,
      "plugins/kit/text.ts": 'import "node:fs"; export const plain = 1;',
      "presets/load.ts":
        'const agent = () => import("@scorel/agent"); import meta from "../package.json"; import "./layers.ts"',
      ...sources,
    },
    manifests: {
      kernel: {
        name: "@scorel/kernel",
        dependencies: { "@scorel/kit": "workspace:*", tapable: "2.3.4", zod: "4.6.7" },
      },
      "plugins/agent": agent,
      "plugins/chat": chat,
      "plugins/kit": kit,
      presets: { name: "@scorel/presets", dependencies: { "@scorel/agent": "workspace:*" } },
      ...manifests,
    },
  };
}
