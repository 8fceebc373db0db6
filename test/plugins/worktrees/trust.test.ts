import { mkdirSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { projectDir } from "../../../plugins/kit/files/home.ts";
import { projectPlace } from "../../../plugins/kit/files/worktree-place.ts";
import { targetsOf } from "../../../plugins/trust/targets.ts";
import { worktrees } from "../../../plugins/worktrees/service.ts";
import { repository } from "./repository.ts";

const files = { "a.txt": "one\n", "shop/a.txt": "one\n", ".scorel/config.toml": "", ".claude/agents/x.md": "x" };

it("a worktree has the project files of its checkout, and those of its own branch are not looked at", async () => {
  const r = repository({ files });
  const w = await r.make("login");
  w.file(".scorel/config.toml", "changed = true\n");
  w.file("shop/.agents/skills/x/SKILL.md", "x");
  expect(projectDir(w.folder)).toBe(r.path(".scorel"));
  expect(targetsOf(w.folder)).toEqual(targetsOf(r.root));
  expect(targetsOf(w.path("shop"))).toEqual(targetsOf(r.path("shop")));
});

it("a folder in a worktree stands for the same one of the checkout, or for the checkout", async () => {
  const r = repository({ files });
  const w = await r.make("login");
  w.file("only-here/b.txt", "");
  const { path: inner } = await worktrees.create(w.path("shop"), "inner");
  const places = [w.folder, w.path("shop"), w.path("only-here"), inner].map(projectPlace);
  expect(places).toEqual([r.root, r.path("shop"), r.root, r.root]);
});

it("nothing else stands for a checkout: a folder without a worktree, a repository in it, a link out of the project", async () => {
  const r = repository({ files });
  r.file(".scorel-worktrees/plain/.scorel/config.toml", "");
  const plain = r.path(".scorel-worktrees/plain");
  expect(projectPlace(plain)).toBe(plain);
  const clone = r.at(r.path(".scorel-worktrees/clone"));
  mkdirSync(clone.folder);
  clone.git("init", "--quiet");
  expect(projectPlace(clone.folder)).toBe(clone.folder);
  const w = await r.make("login");
  const submodule = r.at(w.path("vendor"));
  mkdirSync(submodule.folder);
  submodule.git("init", "--quiet");
  expect(projectPlace(submodule.folder)).toBe(submodule.folder);
  mkdirSync(w.path("out"));
  symlinkSync("/tmp", r.path("out"));
  expect(projectPlace(w.path("out"))).toBe(r.root);
});
