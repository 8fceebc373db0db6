import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { definePlugin } from "@scorel/kernel";
import type { FilesService } from "@scorel/local/contract";
import { expect, it } from "vitest";
import { workshop } from "./workshop.ts";

/** A plugin that removes ripgrep from the service `files`. */
const withoutSearch = (more: (files: FilesService) => Partial<FilesService> = () => ({})) =>
  definePlugin({
    id: "plain-files",
    name: "Files without a search",
    version: "1.0.0",
    needs: [],
    serviceWrappers: () => ({ files: (files) => ({ ...more(files), search: undefined }) }),
  });

const tree: Record<string, string> = {
  ".gitignore": "*.log\nbuilt/\n!kept.log\n",
  "a.ts": "plum one\npear\nplum two\n",
  "src/b.ts": "pear\n",
  "src/.ignore": "*.tmp\n",
  "src/c.tmp": "plum\n",
  "src/deep/d.js": `x = "plum"\n`,
  "src/deep/kept.log": "plum\n",
  "src/deep/other.log": "plum\n",
  "built/e.ts": "plum\n",
  "only/.gitignore": "*\n!*/\n!*.ts\n",
  "only/inner/f.ts": "plum\n",
  "only/inner/f.js": "plum\n",
  ".hidden/g.ts": "plum\n",
  ".git/h.ts": "plum\n",
  "wörter/i ü.ts": "Plum\n",
};

const searches: [string, object][] = [
  ["Glob", { pattern: "**/*" }],
  ["Glob", { pattern: "**/*.{ts,js}", path: "src" }],
  ["Glob", { pattern: "[ab].ts" }],
  ["Glob", { pattern: "**/*", hidden: true }],
  ["Grep", { pattern: "plum" }],
  ["Grep", { pattern: "pl.m", ignore_case: true, context: 1 }],
  ["Grep", { pattern: "plum", glob: "*.ts", mode: "count" }],
  ["Grep", { pattern: "plum", path: "src/deep", hidden: true, mode: "files" }],
  ["Grep", { pattern: "plum\\npear", multiline: true }],
  ["Grep", { pattern: "two", path: "a.ts" }],
  ["Grep", { pattern: "nowhere" }],
  ["Grep", { pattern: "(" }],
];

it("files that only can be listed and read are searched as ripgrep searches them", async () => {
  await using own = await workshop();
  await using plain = await workshop({ plugins: [withoutSearch()] });
  for (const w of [own, plain]) for (const [name, content] of Object.entries(tree)) w.file(name, content);
  for (const [tool, args] of searches) {
    const said = await plain.say(tool, args);
    expect([tool, args, said]).toEqual([tool, args, await own.say(tool, args)]);
  }
});

it("nothing of the copy remains, and names that lead out of it are left out", async () => {
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("scorel-search-"));
  const before = copies();
  const lying = (files: FilesService): Partial<FilesService> => ({
    list: async (folder) => [...(await files.list(folder)), { name: "../../escaped", kind: "file" }],
  });
  await using w = await workshop({ plugins: [withoutSearch(lying)] });
  w.file("a.ts", "plum\n");
  expect(await w.say("Grep", { pattern: "plum" })).toBe("[1 match]\na.ts\n1:plum");
  expect(await w.say("Grep", { pattern: "(" })).toContain("The pattern is not valid");
  expect(copies()).toEqual(before);
});

it("too many files to copy are refused", async () => {
  const many = (): Partial<FilesService> => ({
    list: async () => Array.from({ length: 50_001 }, (_, each) => ({ name: `${each}.ts`, kind: "file" as const })),
  });
  await using w = await workshop({ plugins: [withoutSearch(many)] });
  mkdirSync(w.path("src"));
  writeFileSync(w.path("src/a.ts"), "");
  expect(await w.say("Glob", { pattern: "**/*.ts" })).toContain(
    "too many to copy: there are over 50000. Narrow the path.",
  );
});
