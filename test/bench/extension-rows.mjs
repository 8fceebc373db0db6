/**
 * The time that 20 extensions add to a turn when their compiled code is cached, compared with the minimum for loading
 * them: `import("jiti")` and 20 calls of `jiti.import` with cached code. Runs whole processes alternately, with and
 * without the extensions, with and without the loading. Prints rows as JSON.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bin, createHome, inTurn, milliseconds, run } from "./measure.mjs";

const count = 20;
const runs = Number(process.env.BENCH_RUNS ?? 31);
const node = process.execPath;
const jiti = pathToFileURL(createRequire(bin).resolve("jiti")).href;
const turn = [bin, "--cwd", "project", "--yes", "-p", "go"];
const rows = [
  ["of a trusted project", "project/.scorel/extensions"],
  ["of the user", ".scorel/extensions"],
].map(([whose, folder]) => ({ work: `${count} extensions ${whose}`, ...measure(folder), aim: 1.3 }));
console.log(JSON.stringify(rows));

function measure(folder) {
  const [plain, own] = [createHome(process.env.BENCH_MODEL), createHome(process.env.BENCH_MODEL)];
  try {
    for (const { home } of [plain, own]) mkdirSync(join(home, "project"));
    write(join(own.home, folder));
    if (folder.startsWith("project")) run(node, [bin, "--cwd", "project", "trust", "add", "--yes"], own);
    const [none, script] = [join(own.home, "none.mjs"), join(own.home, "load.mjs")];
    writeFileSync(none, "");
    writeFileSync(script, loading(join(own.home, folder), join(own.home, "kept")));
    // The difference of two runs that follow each other, so that other load on the machine affects both.
    const difference = (one, other) => milliseconds(...one) - milliseconds(...other);
    return inTurn(runs, {
      value: () => difference([node, turn, own], [node, turn, plain]),
      baseline: () => difference([node, [script], own], [node, [none], own]),
    });
  } finally {
    plain.remove();
    own.remove();
  }
}

function write(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (let index = 0; index < count; index++) writeFileSync(join(folder, `ext-${index}.ts`), extension(index));
}

/** An extension of about the size of an example: a tool, a hook and a listener in typed code. */
function extension(index) {
  const lines = Array.from({ length: 20 }, (_, line) => `  if (text.startsWith("${line}")) return "case ${line}";`);
  return `import { definePlugin } from "@scorel/kernel";
import { join } from "node:path";

interface Seen {
  readonly calls: Map<string, number>;
  last?: string;
}

function sorted(text: string): string {
${lines.join("\n")}
  return text;
}

export default definePlugin({
  id: "ext-${index}",
  name: "Extension ${index}",
  version: "1.0.0",
  activate() {
    const seen: Seen = { calls: new Map() };
    seen.last = sorted(join("a", "b"));
  },
  tools: () => [
    {
      name: "Tool${index}",
      description: "Answers.",
      parameters: { type: "object", properties: {} },
      access: () => "read" as const,
      async execute() {
        return { content: [{ type: "text" as const, text: sorted("9") }] };
      },
    },
  ],
  hooks: () => ({ afterToolCall: () => undefined }),
  onEvent: (_event: { type: string }) => {},
});
`;
}

/** The source of a script that loads the extensions. Scorel's modules are passed to jiti by name, as Scorel does. */
function loading(folder, cache) {
  return `import { readdirSync } from "node:fs";
import { join } from "node:path";
const { createJiti } = await import(${JSON.stringify(jiti)});
const virtualModules = { "@scorel/kernel": { definePlugin: (plugin) => plugin } };
const jiti = createJiti(import.meta.url, { fsCache: ${JSON.stringify(cache)}, virtualModules });
for (const name of readdirSync(${JSON.stringify(folder)}))
  if (!(await jiti.import(join(${JSON.stringify(folder)}, name), { default: true })).id) throw new Error(name);
`;
}
