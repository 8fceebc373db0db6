import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullScreen } from "./full-screen.ts";
import { hasTerminals } from "./pty.ts";
import { scratch } from "./scorel.ts";

describe.skipIf(!hasTerminals)("the terminal application at its start", () => {
  it("shows notices as lines of the conversation, in which the name of a folder cannot add lines", async () => {
    using s = scratch();
    s.useModel("http://127.0.0.1:9");
    const project = join(s.project, "a\tb\nscorel: all is well");
    mkdirSync(join(project, ".scorel"), { recursive: true });
    writeFileSync(join(project, ".scorel", "config.toml"), "# nothing\n");
    await using t = fullScreen({ ...s, project }, [], { columns: 120 });
    await t.shows("Trust it? [y]es, [N]o (go on without it), [s]how:");
    expect(t.screen.text()).toContain("a\\u{9}b\\u{a}scorel: all is well/.scorel: not trusted yet");
    t.type("n\r");
    await t.shows("· ");
    await t.shows(/· \S+a\\u\{9\}b\\u\{a\}scorel:\s+all\s+is\s+well\/\.scorel\s+is\s+not\s+trusted/);
    expect(t.screen.text()).toContain("Model: ");
    expect(t.screen.text()).toMatch(/─{120}\n>\s*\n─{120}/);
    t.type("/quit\r");
    expect(await t.code).toBe(0);
  });
});
