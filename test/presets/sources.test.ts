import { join } from "node:path";
import { expect, it } from "vitest";
import { sourcesOf } from "../../presets/layers/sources.ts";
import { place } from "./place.ts";

it("the sources of a session are the user's files and all trusted folders of a project", async () => {
  using at = place();
  at.file(".scorel/config.toml", "");
  at.file(".agents/skills/x/SKILL.md", "x");
  at.file(".claude/commands/y.md", "y");
  const request = { preset: "base", by: "--preset", cwd: at.project };
  const sources = (trusted: boolean) =>
    sourcesOf({ ...request, project: { dir: join(at.project, ".scorel"), trusted } });
  const own = ["config.toml", "extensions", "packages", "presets", "trust.json"].map((name) =>
    join(at.home, ".scorel", name),
  );
  expect(await sources(false)).toEqual(own);
  expect(await sources(true)).toEqual([
    ...own,
    ...[".scorel", ".agents/skills", ".claude/commands"].map((name) => join(at.project, name)),
  ]);
});
