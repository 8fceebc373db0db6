import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { text } from "../../model-server.ts";
import { skillText } from "../skills/setup.ts";
import { shop } from "./setup.ts";

afterEach(() => vi.unstubAllEnvs());

it("a skill named like another skill's folder gets its own folder", async () => {
  await using t = await shop();
  const [victim, evil] = ["ödd näme", `skill-${createHash("sha256").update("ödd näme").digest("hex").slice(0, 16)}`];
  await t.skill(victim, { "scripts/who.sh": "echo victim" });
  await t.skill(evil, { "scripts/who.sh": "echo evil" });
  const said: string[] = [];
  for (const skill of [victim, evil, victim, evil])
    said.push((await t.run({ skill, command: "sh scripts/who.sh" })).stdout.trim());
  expect(said).toEqual(["victim", "evil", "victim", "evil"]);
});

it("a skill of a project that is not trusted is not run, and the error says how to trust it", async () => {
  await using t = await shop();
  const file = join(t.g.project, ".claude/skills/deploy/SKILL.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "---\ndescription: Deploys\n---\nText");
  await expect(t.run({ skill: "deploy", command: "true" })).rejects.toThrow(
    `The skill deploy is not used, because its project is not trusted: ${file}. To look at what the project has, and trust it: scorel trust add`,
  );
});

it("a model runs a user-only skill only after a person has loaded it", async () => {
  await using t = await shop({}, undefined, [text("ok")]);
  t.g.file(".scorel/skills/mine/SKILL.md", "---\ndescription: For people\ndisable-model-invocation: true\n---\nText");
  await t.t.skills.refresh();
  const request = { skill: "mine", command: "echo done" };
  await expect(t.run(request)).rejects.toThrow("unknown skill: mine. The skills here are: math.");
  await t.t.agent.prompt("use $mine");
  expect((await t.run(request)).stdout).toBe("done\n");
});

it("a project's skill gets the grants of its name, unless it shadows another skill", async () => {
  vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
  const table = { env: { math: ["MATH_TOKEN"], own: ["MATH_TOKEN"] }, network: ["math"] };
  await using t = await shop(table, undefined, [], {
    workspace: ({ home, project }) => ({
      trusted: join(project, ".scorel"),
      trustedCopy: { scorel: join(home, "copy/.scorel"), root: join(home, "copy") },
    }),
  });
  const command = 'echo "$MATH_TOKEN"';
  const planted = "mkdir -p .venv/bin; printf '#!/bin/sh\\necho mine' > .venv/bin/tool; chmod +x .venv/bin/tool";
  expect((await t.run({ command: `${planted}; ${command}; tool` })).stdout).toBe("[redacted]\nmine\n");
  for (const name of ["math", "own"])
    t.g.file(`copy/.scorel/skills/${name}/SKILL.md`, skillText(name, "The project's"));
  await t.t.skills.refresh();
  expect((await t.run({ skill: "own", command })).stdout).toBe("[redacted]\n");
  const { stdout, warnings } = await t.run({ command: `${command}; tool 2>/dev/null` });
  expect([stdout, warnings]).toEqual([
    "\n",
    [
      "the project's skill math has the same name as another skill, so it does not get the variables and network access that [runner] grants to that name",
    ],
  ]);
});

it("a replay of a project's skill gets no grants of another skill, whatever has become of it", async () => {
  vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
  await using t = await shop({ env: { math: ["MATH_TOKEN"] }, network: ["math"] }, undefined, [], {
    workspace: ({ home, project }) => ({
      trusted: join(project, ".scorel"),
      trustedCopy: { scorel: join(home, "copy/.scorel"), root: join(home, "copy") },
    }),
  });
  const folder = "copy/.scorel/skills/math";
  t.g.file(`${folder}/SKILL.md`, skillText("math", "The project's"));
  t.g.file(`${folder}/show.sh`, 'echo "token: $MATH_TOKEN"');
  await t.t.skills.refresh();
  await t.run({ command: "sh show.sh > out/a", output_files: ["out/*"], save_as_artifacts: true });
  expect(t.record("out/a").network).toBe(false);
  const again = async () => {
    await t.t.skills.refresh();
    const { same, changed } = await t.replay("out/a");
    return { same, notes: changed.map(({ note }) => note) };
  };
  t.g.file(`${folder}/show.sh`, "echo something else");
  const ran = "the version from that time ran";
  const expected = { same: true, notes: [`the skill math has changed since; ${ran}`] };
  expect(await again()).toEqual(expected);
  rmSync(join(t.g.home, folder), { recursive: true });
  expect(await again()).toEqual(expected);
});
