import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import type { RunRequest, RunResult } from "@scorel/runner/contract";
import type { Skill } from "@scorel/skills/contract";
import type { SkillsTest } from "../../plugins/skills/setup.ts";

/** The result of a case: the invariants of a skill, or one of its programs. */
export interface Verdict {
  skill: string;
  what: string;
  /** Why it failed. */
  problem?: string;
  /** Why it was not run. */
  skipped?: string;
}

/** Folders in which skills keep their material; those that a skill has must be visible to its programs. */
const FOLDERS = ["scripts", "templates", "examples", "reference", "references", "themes", "core", "ooxml"];
const SECONDS = 30;

/** Checks the invariants of every skill of a session, and runs known programs of public skills, one after another. */
export async function toolSuite(t: SkillsTest): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const skill of t.skills.look.skills) {
    verdicts.push(await invariants(t, skill));
    for (const known of KNOWN.filter(({ name, file }) => name === skill.name && existsSync(join(skill.files, file))))
      verdicts.push(await program(t, skill, known));
  }
  return verdicts;
}

/**
 * Checks the workspace of a skill: links, a folder for packages, the skill's own files, and that those cannot be
 * changed.
 */
async function invariants(t: SkillsTest, { name, files }: Skill): Promise<Verdict> {
  const file = `out/bench/${name.replace(/[^\w.-]/g, "_")}_ok.txt`;
  const material = FOLDERS.filter((folder) => existsSync(join(files, folder)));
  const command = [
    "set -e",
    "test -L out; test -L work; test -L inputs; test -d .venv",
    ...material.map((folder) => `test -e ${folder}`),
    `mkdir -p out/bench; printf OK > ${file}; printf OK > .venv/bench.txt`,
    "if (echo no >> SKILL.md) 2>/dev/null; then echo 'SKILL.md was written to'; exit 9; fi",
    "if (echo no > new.txt) 2>/dev/null; then echo 'the folder was written to'; exit 9; fi",
  ].join("; ");
  return judged(t, { skill: name, what: "invariants" }, { skill: name, command, output_files: [file] }, "OK");
}

interface Known {
  name: string;
  file: string;
  /** A Python module that the program needs. Without it the program is not run, since installing it needs a network. */
  module?: string;
  command: string;
  says: string;
}

const FIELDS = JSON.stringify({
  form_fields: [
    {
      description: "Name",
      page_number: 1,
      label_bounding_box: [10, 10, 50, 30],
      entry_bounding_box: [60, 10, 150, 30],
    },
  ],
});

/** Programs of the public collection that need only Python's standard library, or the given module. */
const KNOWN: readonly Known[] = [
  {
    name: "pdf",
    file: "scripts/check_bounding_boxes.py",
    command: `printf %s '${FIELDS}' > work/fields.json; python3 scripts/check_bounding_boxes.py work/fields.json > out/known.txt`,
    says: "SUCCESS: All bounding boxes are valid",
  },
  {
    name: "webapp-testing",
    file: "scripts/with_server.py",
    command: `python3 scripts/with_server.py --server 'python3 -m http.server 8123 --bind 127.0.0.1' --port 8123 -- bash -c 'printf OK > out/known.txt'`,
    says: "OK",
  },
  {
    name: "skill-creator",
    file: "scripts/quick_validate.py",
    module: "yaml",
    command: "python3 scripts/quick_validate.py . > out/known.txt",
    says: "Skill is valid!",
  },
];

async function program(
  t: SkillsTest,
  { name: skill }: Skill,
  { file, module, command, says }: Known,
): Promise<Verdict> {
  const verdict = { skill, what: file };
  if (module !== undefined) {
    const { exit_code } = await run(t, { skill, command: `python3 -c 'import ${module}'` });
    if (exit_code !== 0) return { ...verdict, skipped: `Python has no module ${module}` };
  }
  return judged(t, verdict, { skill, command: `set -e; ${command}`, output_files: ["out/known.txt"] }, says);
}

async function judged(t: SkillsTest, verdict: Verdict, request: RunRequest, says: string): Promise<Verdict> {
  try {
    const { exit_code, stdout, stderr, output_files } = await run(t, { ...request, timeout: SECONDS });
    if (exit_code !== 0) return { ...verdict, problem: `exit ${exit_code}: ${(stdout + stderr).trim()}` };
    const [file, ...more] = output_files;
    if (!file?.content?.includes(says) || more.length > 0)
      return { ...verdict, problem: `not one file that says ${says}: ${JSON.stringify(output_files)}` };
    return verdict;
  } catch (thrown) {
    return { ...verdict, problem: messageOf(thrown) };
  }
}

/** Runs a command with the tool, as a model's call does. */
async function run({ kernel }: SkillsTest, request: RunRequest): Promise<RunResult> {
  const tool = kernel.find("tools")?.get("skill_run");
  if (!tool) throw new Error("there is no tool skill_run");
  const { content, isError } = await tool.execute("bench", tool.validate(tool.prepareArguments(request)), undefined);
  const said = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (isError) throw new Error(said);
  return JSON.parse(said) as RunResult;
}
