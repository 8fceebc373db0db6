import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { writeCollection } from "../bench/skills/collection.ts";
import { openFolder } from "../bench/skills/session.ts";
import { toolSuite } from "../bench/skills/tool-suite.ts";
import { describeWith } from "../optional.ts";
import { ground } from "../plugins/skills/setup.ts";

const shipped = fileURLToPath(new URL("../../skills", import.meta.url));

describeWith("bubblewrap", "the cases for skill_run", () => {
  const failures = async (folder: string) => {
    await using t = await openFolder(folder, []);
    const verdicts = await toolSuite(t);
    return { cases: verdicts.length, failed: verdicts.filter(({ problem }) => problem !== undefined) };
  };

  it("hold for each skill of the collection", async () => {
    using g = ground();
    const folder = join(g.home, "shelf");
    writeCollection(folder, { scale: 0.02 });
    expect(await failures(folder)).toEqual({ cases: 18, failed: [] });
  });

  it("hold for each shipped skill", async () => {
    expect(await failures(shipped)).toEqual({ cases: readdirSync(shipped).length, failed: [] });
  });

  it("run the programs they know where a skill has them, and say what was wrong or missing", async () => {
    using g = ground();
    const skill = (name: string, script: string, program: string) => {
      g.file(`shelf/${name}/SKILL.md`, `---\nname: ${name}\ndescription: All of ${name}\n---\n`);
      g.file(`shelf/${name}/scripts/${script}`, program);
    };
    const check = `import json, sys\nprint("SUCCESS: All bounding boxes are valid", len(json.load(open(sys.argv[1]))))\n`;
    skill("pdf", "check_bounding_boxes.py", check);
    skill("skill-creator", "quick_validate.py", "print('no')\n");
    skill("webapp-testing", "with_server.py", "raise SystemExit('no server')\n");
    await using t = await openFolder(join(g.home, "shelf"), []);
    const verdicts = await toolSuite(t);
    expect(verdicts.filter(({ what }) => what !== "invariants")).toEqual([
      { skill: "pdf", what: "scripts/check_bounding_boxes.py" },
      {
        skill: "skill-creator",
        what: "scripts/quick_validate.py",
        ...(verdicts[3]?.skipped === undefined
          ? { problem: expect.stringContaining("not one file that says Skill is valid!") }
          : { skipped: "Python has no module yaml" }),
      },
      { skill: "webapp-testing", what: "scripts/with_server.py", problem: "exit 1: no server" },
    ]);
  });
});
