import * as fs from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Skill } from "@scorel/skills/contract";
import { describe, expect, it } from "vitest";
import { type Staged, stage } from "../../../plugins/runner/staging/staging.ts";
import { confines } from "../../optional.ts";
import { shop } from "./setup.ts";

describe("a skill loaded by the model", () => {
  it("is staged before its first run", async () => {
    const { text, toolCall } = await import("../../model-server.ts");
    const script = [toolCall("skill_load", { skill: "math" }), toolCall("skill_load", { skill: "notes" }), text("ok")];
    await using t = await shop({}, undefined, script);
    await t.skill("notes");
    await t.t.agent.prompt("go");
    const staged = (name: string) => fs.existsSync(join(t.workspace, "skills", name));
    while (!staged("math/inputs")) await setImmediate();
    const inode = () => fs.statSync(join(t.workspace, "skills/math/scripts/fib.py")).ino;
    const before = inode();
    expect((await t.run({ command: "python3 scripts/fib.py 1 || true" })).exit_code).toBe(0);
    expect([inode(), staged("notes")]).toEqual([before, false]);
  });

  it("reports a staging error only when it runs", async () => {
    const { text, toolCall } = await import("../../model-server.ts");
    await using t = await shop({}, undefined, [toolCall("skill_load", { skill: "math" }), text("ok")]);
    t.g.file(".scorel/workspaces", "no folder");
    await t.t.agent.prompt("go");
    await expect(t.run({ command: "true" })).rejects.toThrow();
    expect(t.t.kernel.failures).toEqual([]);
  });
});

describe("a staged file", () => {
  it("can be changed in a copy, but not in place", async () => {
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

  it("is read-only without a mount, even after it was staged for one", async () => {
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
