import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CliCommand, CliOption } from "@scorel/cli/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { readOption } from "../plugins/cli/option.ts";
import { parseCommandLine } from "../plugins/cli/parser.ts";
import { checkLayers } from "../presets/layers/check.ts";
import { readLayer } from "../presets/layers/layer.ts";
import { mergeLayers } from "../presets/layers/merge.ts";
import { type Block, blocksOf, brokenLinksOf, documents, headingsOf } from "./docs/document.ts";
import { readExamples } from "./docs/examples.ts";
import { type Facts, readFacts, rowsOf } from "./docs/facts.ts";
import { generate } from "./docs/generate.ts";
import { headings } from "./docs/readme.ts";
import { commandsOf } from "./docs/shell.ts";
import { problemsIn, shownRows } from "./docs/shown-by.ts";
import { filesOf, read, root } from "./docs/source.ts";

let facts: Facts;
beforeAll(async () => {
  facts = await readFacts();
}, 120_000);

const reference = (page: string) => read(`docs/reference/${page}.md`);
const codesIn = (names: readonly string[]) => names.map((name) => /^`(.*)`$/.exec(name)?.[1] ?? name);

describe("the reference", () => {
  it("is what `npm run docs` generates", async () => {
    for (const [path, text] of await generate()) expect({ path, text: read(path) }).toEqual({ path, text });
  }, 300_000);

  it("says in line 1 that it is generated, except for the pages on benchmarks, words and the relay's protocol", () => {
    const pages = filesOf("docs/reference", ".md").filter(
      (file) => !/\/(?:benchmarks|relay-protocol|words)\.md$/.test(file),
    );
    const first = pages.map((file) => read(file).split("\n")[0]);
    expect(new Set(first)).toEqual(new Set(["<!-- Generated from the code by `npm run docs`; do not edit. -->"]));
  });

  it("lists every error code of every table, and no other", () => {
    const tables = filesOf("kernel").concat(filesOf("plugins"), filesOf("presets"));
    const written = tables.filter((file) => file.endsWith("/errors.ts")).flatMap((file) => codesWrittenIn(read(file)));
    expect(codesIn(headingsOf(reference("errors"), 3)).sort()).toEqual(written.sort());
  });

  it("lists every event type that a plugin registers, and no other", () => {
    const registered = facts.plugins.flatMap(({ plugin }) => Object.keys(plugin.events ?? {}));
    const listed = codesIn(headingsOf(reference("events"), 3));
    expect(listed.sort()).toEqual([...Object.keys(facts.kernel.events), ...registered].sort());
  });

  it("lists every hook that a plugin defines, and no other", () => {
    const defined = facts.plugins.flatMap(({ defines }) => defines.map(({ name }) => name));
    expect(codesIn(headingsOf(reference("hooks"), 2)).sort()).toEqual(defined.sort());
  });

  it("lists every operation that a contract declares, each with a summary and both schemas, and no other", () => {
    const declared = rowsOf(facts, "Operations").map(({ name }) => name);
    expect(facts.operations.map(({ name }) => name)).toEqual(declared.sort());
    const undescribed = facts.operations.filter(({ summary, result }) => !/^[A-Z].{10,}\.$/.test(summary) || !result);
    expect(undescribed).toEqual([]);
  });

  it("lists every service that is provided or given, and no other", () => {
    const provided = facts.plugins.flatMap(({ plugin }) => plugin.provides ?? []);
    expect(codesIn(headingsOf(reference("services"), 2)).sort()).toEqual([...provided, ...facts.given.keys()].sort());
  });

  it("lists every contribution that the kernel or a plugin collects, and no other", () => {
    const collected = new Set(["serviceWrappers", ...facts.plugins.flatMap(({ collects }) => collects)]);
    expect(codesIn(headingsOf(reference("contributions"), 3)).sort()).toEqual([...collected].sort());
  });

  it("has a table of options for every plugin with a configuration, and no other", () => {
    const configured = facts.plugins.filter(({ plugin }) => plugin.config).map(({ id }) => `[${id}]`);
    expect(codesIn(headingsOf(reference("config"), 2)).slice(1)).toEqual(configured);
  });

  it("describes every option", () => {
    const rows = reference("config")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
  });

  it("describes every row of the open tables", () => {
    const tables = ["Events", "Transients", "Hooks", "Projections"];
    const silent = tables.flatMap((table) => rowsOf(facts, table)).filter(({ doc }) => doc === "");
    expect(silent.map(({ table, name }) => `${table}.${name}`)).toEqual([]);
  });
});

describe("every plugin", () => {
  it("has a README with the same headings", () => {
    const outlines = facts.plugins.map(({ id }) => {
      const text = read(`plugins/${id}/README.md`);
      return { id, title: headingsOf(text, 1), headings: headingsOf(text, 2) };
    });
    expect(outlines).toEqual(facts.plugins.map(({ id }) => ({ id, title: [id], headings })));
  });

  it("says in its first sentence what it does", () => {
    const listed = [...reference("plugins").matchAll(/^\| \[([a-z-]+)\].* \| (.+\.) \|$/gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual(facts.plugins.map(({ id }) => id).sort());
  });
});

describe("every example", () => {
  it("has a unique name, and a sentence before it that says what it does", () => {
    const examples = readExamples();
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
    expect(examples.filter(({ id, about }) => id === "" || about === "")).toEqual([]);
  });
});

describe("every decision", () => {
  it("is in the index", () => {
    const files = filesOf("docs/decisions", ".md").filter((file) => !file.endsWith("README.md"));
    const listed = [...read("docs/decisions/README.md").matchAll(/\]\((\d{4}-[^)]+\.md)\)/g)];
    expect(listed.map((match) => `docs/decisions/${match[1]}`)).toEqual(files.sort());
  });
});

describe("a row of a decision that names the test which shows it", () => {
  it("names only tests and decisions that exist", () => {
    const rows = shownRows();
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.flatMap(problemsIn)).toEqual([]);
  });

  it("is reported when it names nothing, or something that does not exist", () => {
    const file = "docs/decisions/0046-reference-behaviour.md";
    const told = (shown: string) => problemsIn({ file, line: 7, shown });
    expect(["", "[nowhere] x", "[library] no such title", "[library]", "library"].flatMap(told)).toEqual([
      `${file}:7: nothing shows it`,
      `${file}:7: [nowhere] x: no such link`,
      `${file}:7: [library] no such title: no such test`,
      `${file}:7: [library]: no such test`,
      `${file}:7: library: no such link`,
    ]);
  });
});

describe("every document", () => {
  it("names only existing tests where it names the test for a promise about the page", () => {
    const text = read("docs/decisions/0149-the-page-promise-by-promise.md").replace(/\s+/g, " ");
    let tests = "";
    for (const [, path, name] of text.matchAll(/`(test\/[\w/.-]+\.ts)`|"([^"]+)"/g)) {
      if (path !== undefined) tests = read(path);
      else expect(tests).toContain(name);
    }
  });

  it("links only to existing targets", () => {
    const broken = documents().flatMap((file) => brokenLinksOf(file).map((target) => `${file}: ${target}`));
    expect(broken).toEqual([]);
  });

  it("shows only TOML that is a valid configuration", async () => {
    const blocks = documents()
      .flatMap(blocksOf)
      .filter(({ language }) => language === "toml");
    const problems = await Promise.all(blocks.map(problemsOf));
    expect(problems.flat()).toEqual([]);
  });

  it("shows only existing shell commands", () => {
    const blocks = documents()
      .flatMap(blocksOf)
      .filter(({ language }) => language === "sh");
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.flatMap((block) => wrongCommandsOf(block, flagsIn(block.file)))).toEqual([]);
  });
});

describe("the documentation checks", () => {
  it("parse a shell script as a shell does", () => {
    const script = `KEY=1 scorel -p "a # b" | head -n 1 # comment\ncd x && npm test > out.txt; node -e 'one\ntwo'\n`;
    const words = [
      ["scorel", "-p", "a # b"],
      ["head", "-n", "1"],
      ["cd", "x"],
      ["npm", "test"],
      ["node", "-e", "one\ntwo"],
    ];
    expect(commandsOf(script)).toEqual(words);
  });

  it("find an unknown command, option, value and script", () => {
    const script =
      "scorel sesion list\nscorel -p hi --outputs json\nscorel -p hi --output yaml\nnpm run deploy\ncurl x";
    expect(wrongCommandsOf({ file: "a.md", line: 1, language: "sh", text: script, before: "" })).toEqual([
      expect.stringMatching(/sesion list: .*"session"/),
      expect.stringMatching(/--outputs json: .*"--output"/),
      expect.stringMatching(/--output yaml: .*json/),
      expect.stringContaining('npm run deploy: there is no script "deploy"'),
      expect.stringContaining("curl x: no program"),
    ]);
  });

  it("find an unknown table, key and value", async () => {
    const text = '[modle]\nid = "x"\n\n[tools]\npreset = "most"\nalow = []\n';
    const problems = await problemsOf({ file: "README.md", line: 1, language: "toml", text, before: "" });
    expect(problems).toEqual([
      expect.stringContaining("modle"),
      expect.stringContaining("tools.preset"),
      expect.stringContaining("tools.alow"),
    ]);
  });
});

/** The problems that the configuration check finds in a block. Extensions that the same document defines are known. */
async function problemsOf({ file, line, text }: Block): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "scorel-docs-"));
  try {
    const path = join(folder, "config.toml");
    writeFileSync(path, text);
    const shown = blocksOf(file).flatMap((block) => /^\s+id: "(.+)",$/m.exec(block.text)?.[1] ?? []);
    const plugins = facts.plugins.map(({ plugin }) => plugin);
    const merged = mergeLayers([readLayer(path, "user")]);
    const { problems } = await checkLayers(
      merged,
      plugins,
      shown.map((id) => ({ id })),
    );
    return problems.map(({ message }) => `${file}:${line}: ${message}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object }).scripts,
);
/** Programs that examples may use although their options are not in our table. */
const standard = [
  "cd",
  "cat",
  "head",
  "tail",
  "ls",
  "mkdir",
  "cp",
  "echo",
  "export",
  "git",
  "cut",
  "grep",
  "node",
  "wc",
  "jq",
  "find",
  "printf",
  "sed",
  "rm",
  "sort",
  "tar",
];

function wrongCommandsOf({ file, line, text }: Block, added: readonly CliOption[] = []): string[] {
  return commandsOf(text).flatMap(([program = "", ...words]) => {
    const problem = program === "scorel" ? scorelProblem(words, added) : otherProblem(program, words);
    return problem === undefined ? [] : [`${file}:${line}: ${[program, ...words].join(" ")}: ${problem}`];
  });
}

/** The options that extensions shown in a document add to sessions. */
function flagsIn(file: string): CliOption[] {
  const shown = blocksOf(file).filter(({ language }) => language === "ts");
  return shown.flatMap(({ text }) =>
    [...text.matchAll(/flag: \{ flags: "(.+?)"/g)].map(([, flags = ""]) => ({ flags, description: "" })),
  );
}

/** Parses the words with the command's own parser; returns the problem, if any. */
function scorelProblem(words: readonly string[], added: readonly CliOption[]): string | undefined {
  if (words.includes("--help") || words.includes("--version")) return undefined;
  const commands: CliCommand[] = facts.commandLine.commands.map(({ command }) => command);
  try {
    parseCommandLine(words, commands, [...facts.commandLine.global, ...added].map(readOption));
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function otherProblem(program: string, [first = "", second = ""]: readonly string[]): string | undefined {
  if (standard.includes(program)) return undefined;
  if (program !== "npm") return "no program that an example may use";
  if (["install", "pack", "ci"].includes(first)) return undefined;
  const script = first === "run" ? second : first;
  return scripts.includes(script) ? undefined : `there is no script "${script}"`;
}

/** The error codes in a source, which is not executed. */
function codesWrittenIn(source: string): string[] {
  const table = source.slice(source.indexOf("defineErrors("));
  return [...table.matchAll(/^ {2}([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+):/gm)].map((match) => match[1] as string);
}
