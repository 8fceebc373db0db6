import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import artifacts from "@scorel/artifacts";
import blobs from "@scorel/blobs";
import runner from "@scorel/runner";
import sandbox from "@scorel/sandbox";
import type { LoadedSkill, Skill } from "@scorel/skills/contract";
import { loaded } from "../../../plugins/skills/load/load.ts";
import type { Skills } from "../../../plugins/skills/load/skills.ts";
import type { ToolDetails } from "../../../plugins/skills/load/state.ts";
import type { Script } from "../../model-server.ts";
import { type Ground, ground, openSkills, SHIPPED, type SkillsTest } from "../../plugins/skills/setup.ts";
import { isRefusal } from "./sizes.ts";

/** A session with all plugins for skills, and the skills of one folder. */
export interface FolderSession extends SkillsTest {
  /** Loads all skills as a user's `$name` does, with all their docs if `docs` is true. */
  loadAll(docs: boolean): Promise<void>;
}

/**
 * Opens such a session. `table` adds to the table `[skills]`; programs run in whichever sandbox works on this machine.
 */
export async function openFolder(folder: string, script: Script, table: object = {}): Promise<FolderSession> {
  const g = ground();
  mkdirSync(join(g.home, "temp"));
  const own = readdirSync(folder);
  const home = process.env.HOME;
  process.env.HOME = g.home;
  const t = await openSkills(g, script, {
    workspace: { file: join(g.home, "log"), temp: join(g.home, "temp") },
    config: { roots: [folder], disabled: SHIPPED.filter((name) => !own.includes(name)), ...table },
    plugins: [blobs, artifacts, sandbox, runner] as never,
  });
  return {
    ...t,
    loadAll: (docs) => loadAll(t, docs),
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      process.env.HOME = home;
      (g as Ground)[Symbol.dispose]();
    },
  };
}

async function loadAll({ session, kernel }: SkillsTest, docs: boolean): Promise<void> {
  const skills = kernel.find("skills") as Skills;
  for (const skill of skills.forModel) {
    const { stateDelta, skill: row } = await loadOne(skills, skill, docs);
    await session.append("skill_state", { why: "user", stateDelta, skills: [row as LoadedSkill] });
  }
}

/** Loads a skill with its docs, or without them if they are refused. */
async function loadOne(skills: Skills, skill: Skill, docs: boolean): Promise<ToolDetails> {
  try {
    return (await loaded(skills, skill, { include_all_docs: docs })).details;
  } catch (thrown) {
    if (!docs || !isRefusal(thrown)) throw thrown;
    return loadOne(skills, skill, false);
  }
}
