import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import type { ExtensionsService } from "@scorel/extensions/contract";
import { expect, it } from "vitest";
import { begin } from "../../../plugins/extensions/commands/new.ts";
import { writeTsconfig } from "../../../plugins/extensions/commands/tsconfig.ts";

/** A project and another folder, and functions that run commands there and return "done" or the code of the error. */
function ground() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorel-writing-")));
  const [project, elsewhere, tsconfig] = ["project", "elsewhere", "tsconfig.json"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [project, elsewhere]) mkdirSync(folder);
  writeFileSync(tsconfig, "{}");
  const path = join(project, ".scorel/extensions");
  const service = {
    folder: async () => ({ of: "project", path, trusted: false }),
    taken: async () => undefined,
    tsconfig,
  } as unknown as ExtensionsService;
  const invocation = (args: string[]) =>
    ({ args, options: { kind: "tool" }, cwd: project, stdout: new PassThrough() }) as unknown as Invocation;
  const outcome = (work: Promise<number>) =>
    work.then(
      () => "done",
      ({ code }) => code,
    );
  return {
    elsewhere,
    link: (from: string) => symlinkSync(elsewhere, join(project, from)),
    folder: (name: string) => mkdirSync(join(project, name), { recursive: true }),
    create: () => outcome(begin(service, invocation(["greeter"]))),
    types: () => outcome(writeTsconfig(service, invocation([]))),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

it.each([".scorel", ".scorel/extensions"])("nothing is written into a project's %s that is a link", async (linked) => {
  using at = ground();
  if (linked !== ".scorel") at.folder(".scorel");
  at.link(linked);
  expect([await at.create(), await at.types()]).toEqual(["EXTENSIONS_LINK", "EXTENSIONS_LINK"]);
  expect(["extensions", "greeter", "tsconfig.json"].some((name) => existsSync(join(at.elsewhere, name)))).toBe(false);
});

it("an extension and its types are written into folders", async () => {
  using at = ground();
  expect([await at.create(), await at.types()]).toEqual(["done", "done"]);
});
