import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

/** A project with a file and a folder, and others outside of it that must not be shown. */
async function place(): Promise<Post & { lead(to: "inside" | "outside"): void }> {
  const p = await post({ mode: "edits" });
  const outside = join(p.home, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "key of the house\n");
  p.file("inside/file", "key of the shed\n");
  const lead = (to: "inside" | "outside") => {
    const folder = to === "inside" ? join(p.dir, "inside") : outside;
    for (const [link, target] of [
      ["folder", folder],
      ["one", join(folder, "file")],
    ] as const) {
      rmSync(join(p.dir, link), { force: true });
      symlinkSync(target, join(p.dir, link));
    }
  };
  return Object.assign(p, { lead });
}

describe("a path that changes after the call was approved", () => {
  it.each([
    ["Read", { file_path: "one" }],
    ["Read", { file_path: "folder/file" }],
    ["Grep", { pattern: "key", path: "one" }],
    ["Grep", { pattern: "key", path: "folder" }],
    ["Glob", { pattern: "*", path: "folder" }],
  ])("is not shown by %s %j", async (tool, args) => {
    await using p = await place();
    p.lead("inside");
    expect(await p.judge(tool, args)).toBe("runs");
    p.lead("outside");
    expect(await p.say(tool, args)).toContain("was replaced after the call was approved");
    p.lead("inside");
    expect(await p.judge(tool, args)).toBe("runs");
    expect(await p.say(tool, args)).toMatch(tool === "Glob" ? /inside\/file/ : /shed/);
  });
});
