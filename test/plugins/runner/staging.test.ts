import * as fs from "node:fs";
import { join } from "node:path";
import type { Skill } from "@scorel/skills/contract";
import { describe, expect, it } from "vitest";
import { type Staged, stage } from "../../../plugins/runner/staging.ts";
import { confines } from "../../optional.ts";
import { shop } from "./setup.ts";

describe("a staged file", () => {
  it("that is copied out can be changed, and cannot be changed where it lies", async () => {
    await using t = await shop();
    const script = t.g.file(".scorel/skills/math/scripts/run.sh", "echo run\n");
    fs.chmodSync(script, 0o755);
    const { stdout, exit_code } = await t.run({
      command: `cp -p scripts/run.sh scripts/fib.py work/ && stat -c %a work/run.sh work/fib.py &&
        for file in work/run.sh work/fib.py; do echo '# more' >> $file; done; tail -qn1 work/run.sh work/fib.py`,
    });
    const kept = confines ? ["755", "644"] : ["555", "444"];
    expect([stdout.split("\n"), exit_code]).toEqual([[...kept, "# more", "# more", ""], 0]);
    if (confines) expect((await t.run({ command: "echo x >> scripts/fib.py" })).exit_code).not.toBe(0);
  });

  it("may not be written without a mount that keeps programs from it, also after it was staged for one", async () => {
    await using t = await shop({}, "local");
    const [skill] = t.t.skills.look.skills;
    const layout = { skills: join(t.g.home, "ws/skills"), metadata: "" } as Parameters<typeof stage>[0];
    const modeOf = ({ folder }: Staged) => (fs.statSync(join(folder, "scripts/fib.py")).mode & 0o777).toString(8);
    const mounted = stage(layout, skill as Skill, { isMounted: true });
    expect(modeOf(mounted)).toBe("644");
    expect(modeOf(stage(layout, skill as Skill, { before: mounted, isMounted: false }))).toBe("444");
    await t.run({ command: "true" });
    expect(fs.statSync(join(t.workspace, "skills/math/scripts/fib.py")).mode & 0o222).toBe(0);
  });
});
