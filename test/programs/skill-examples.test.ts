import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../docs/source.ts";
import { type Finished, type Scratch, scratch } from "../e2e/scorel.ts";
import { type ModelServer, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { confines, describeWith } from "../optional.ts";

const examples = join(root, "docs/examples/skills");
const page = (name: string) => readFileSync(join(examples, name, "README.md"), "utf8");
/** The words of each line in the command block of a page. */
const linesOf = (name: string) =>
  (/```sh\n([\s\S]*?)```/.exec(page(name))?.[1] ?? "")
    .trim()
    .split("\n")
    .map((line) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1")));
/** The cells of each row in the first table of a page, without its header. */
const rowsOf = (name: string) =>
  page(name)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

interface Played {
  s: Scratch;
  /** The results of the lines of the page. */
  runs: Finished[];
  server: ModelServer;
  /** Texts of tool results, in order. */
  results: string[];
}

/** Copies an example to its usual place and runs the commands of its page; the model plays these replies. */
async function play(
  name: string,
  replies: (project: string) => Reply[],
  check: (played: Played) => Promise<void> | void,
  change: (s: Scratch) => void = () => {},
): Promise<void> {
  using s = scratch();
  const script = replies(s.project);
  await using server = await startModelServer(() => script.shift() ?? text("Done."));
  s.useModel(server.baseUrl, confines ? "" : '\n[sandbox]\nexecutor = "local"\n');
  cpSync(join(examples, name), join(s.project, name), { recursive: true });
  change(s);
  const runs: Finished[] = [];
  for (const [program, ...args] of linesOf(name)) {
    expect(program).toBe("scorel");
    // With permissions, as when a person types them.
    runs.push(await s.run(args, { guarded: true }));
  }
  const last = server.requests.at(-1)?.body.messages ?? [];
  const results = last
    .filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: any) => textOf(content));
  await check({ s, runs, server, results });
}
const textOf = (content: any): string =>
  typeof content === "string" ? content : content.map((block: any) => block.text ?? "").join("\n");

describeWith("python", "the examples of skills", () => {
  it("all exist, each with a page", () => {
    const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name)).toEqual(["file-tools", "load-modes", "run"]);
  });

  it("run: a program reads its input, and its output is kept", () =>
    play(
      "run",
      (project) => [
        toolCall("skill_load", { skill: "word-count" }),
        toolCall("skill_run", {
          skill: "word-count",
          command: "python3 scripts/count.py inputs/text.txt > out/words.csv",
          inputs: [{ from: `host://${project}/run/notes.txt`, to: "work/inputs/text.txt" }],
          output_files: ["out/words.csv"],
          save_as_artifacts: true,
        }),
        text("the, four times."),
      ],
      ({ runs: [asked, listed, got, lineage], results }) => {
        expect(asked).toEqual({ code: 0, signal: null, stdout: "the, four times.\n", stderr: "" });
        expect(results[0]).toContain("[Loaded] word-count");
        expect(JSON.parse(results[1] ?? "")).toMatchObject({ exit_code: 0, output_files: [{ name: "out/words.csv" }] });
        expect(listed?.stdout).toContain("out/words.csv");
        expect(got?.stdout.split("\n").slice(0, 3)).toEqual(["the,4", "in,3", "tea,3"]);
        expect(lineage?.stdout).toContain("count.py inputs/text.txt");
      },
    ));

  it.each(rowsOf("load-modes").map((row) => row.map((cell) => cell.replaceAll("`", ""))))(
    "load-modes: with %s its text is in the requests that the page names",
    (mode = "", ...stands) =>
      play(
        "load-modes",
        () => [
          toolCall("skill_load", { skill: "house-style" }),
          toolCall("Glob", { pattern: "*" }),
          text("What skills are"),
          text("How long they stay"),
        ],
        ({ runs, server }) => {
          expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
            [0, "What skills are\n"],
            [0, "How long they stay\n"],
          ]);
          const seen = server.requests.map((request) => request.text.includes("Headings say what a section is about"));
          expect(seen).toEqual([false, ...stands.map((stand) => stand === "yes")]);
        },
        (s) => {
          const file = join(s.project, "load-modes/preset.toml");
          const preset = readFileSync(file, "utf8");
          writeFileSync(file, preset.replace(/^load = "\w+"/m, `load = "${mode}"`));
          expect(readFileSync(file, "utf8")).toContain(`load = "${mode}"`);
        },
      ),
  );

  it("file-tools: a later process reads what a program left, by each of the names", () => {
    const names = rowsOf("file-tools").map(([name = ""]) => name.replaceAll("`", ""));
    return play(
      "file-tools",
      (project) => [
        toolCall("skill_load", { skill: "sales-report" }),
        toolCall("skill_run", {
          skill: "sales-report",
          command: "python3 scripts/report.py inputs/sales.csv > out/report.md",
          inputs: [{ from: `host://${project}/file-tools/sales.csv`, to: "work/inputs/sales.csv" }],
          output_files: ["out/report.md"],
          omit_inline_content: true,
          save_as_artifacts: true,
        }),
        text("It is made."),
        ...names.map((name) => toolCall("Read", { file_path: name, offset: name.endsWith("csv") ? 1 : 6, limit: 4 })),
        text("Nine."),
      ],
      ({ runs, results }) => {
        expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
          [0, "It is made.\n"],
          [0, "Nine.\n"],
        ]);
        const [_loaded, ran, ...reads] = results;
        expect(ran).not.toContain("Total");
        const lines = reads.map((told) =>
          told
            .split("\n")
            .slice(1, 5)
            .map((line) => line.replace(/^\s*\d+\t/, "")),
        );
        const north = ["## north", "- May: 4", "- June: 5", "Total: 9"];
        const table = ["region,month,units", "north,May,4", "south,May,7", "north,June,5"];
        expect(lines).toEqual([north, north, north, table]);
      },
    );
  });
});
