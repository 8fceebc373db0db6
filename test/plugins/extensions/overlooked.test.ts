import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findExtensions } from "../../../plugins/extensions/load/find.ts";
import { withAdvice } from "../../../plugins/extensions/load/import-advice.ts";
import { createExtensionLoader } from "../../../plugins/extensions/load/loader.ts";
import { createVirtualModules } from "../../../plugins/extensions/load/virtual-modules.ts";

const ENDINGS = ".ts, .mts, .js, .mjs";
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "scorel-overlooked-"));
  mkdirSync(join(home, "extensions"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const NOBODY = 65_534;

/** Runs `work` while nobody may read these folders, as a user who owns nothing if this process may become one. */
function asNobody<R>(closed: readonly string[], work: () => R): R {
  const isRoot = process.getuid?.() === 0;
  chmodSync(home, 0o755);
  for (const folder of closed) chmodSync(folder, 0);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const folder of closed) chmodSync(folder, 0o755);
  }
}

describe("what looks like an extension, but is none,", () => {
  const found = () =>
    findExtensions({
      folders: [{ of: "user", path: home, shown: home }],
      assertSafe: () => {},
      takenBy: () => undefined,
    });

  it.each(["x.cjs", "x.cts", "x.tsx", "x.jsx"])("is reported if its file is %s", (name) => {
    writeFileSync(join(home, "extensions", name), "");
    const ending = name.slice(1);
    expect(found().extensions).toEqual([]);
    expect(found().problems.map(({ message }) => message)).toEqual([
      `Extension "x" is left out: an extension ends with ${ENDINGS}, not ${ending}; rename the file (${join(home, "extensions", name)})`,
    ]);
  });

  it.each(["package.json", "index.tsx"])("is reported if its folder has %s and no index file", (name) => {
    const folder = join(home, "extensions", "pins");
    mkdirSync(folder);
    writeFileSync(join(folder, name), "{}");
    expect(found().problems).toMatchObject([
      { code: "EXTENSION_SHAPE", message: expect.stringContaining("the folder has none of index.ts, index.mts") },
    ]);
    writeFileSync(join(folder, "index.ts"), "");
    expect(found().problems).toEqual([]);
  });

  it("is not reported if it is a folder of helpers, declarations, or hidden", () => {
    mkdirSync(join(home, "extensions", "helpers"));
    writeFileSync(join(home, "extensions", "helpers", "texts.ts"), "");
    for (const name of ["x.d.cts", ".x.tsx", "notes.md", "package.json"])
      writeFileSync(join(home, "extensions", name), "");
    expect(found().problems).toEqual([]);
  });
});

describe("what cannot be read", () => {
  const search = { assertSafe: () => {}, takenBy: () => undefined };
  const links: [string, string][] = [
    ["in a circle", "extensions"],
    ["to a name that is too long", "x".repeat(300)],
    ["into a folder of another user", join("theirs", "x.ts")],
  ];

  it.each(links)("among extensions, such as a link %s, is no extension, and the others are found", (_what, target) => {
    const own = join(home, "extensions");
    symlinkSync(target, join(own, target === "extensions" ? target : "link.ts"));
    writeFileSync(join(own, "x.ts"), "");
    mkdirSync(join(own, "theirs"));
    const found = asNobody([join(own, "theirs")], () =>
      findExtensions({ folders: [{ of: "user", path: home, shown: home }], ...search }),
    );
    expect([found.extensions.map(({ id }) => id), found.problems, found.idle]).toEqual([["x"], [], []]);
  });

  it.each(links)("in a project that is not trusted, such as a link %s, stops no start", (_what, target) => {
    rmSync(join(home, "extensions"), { recursive: true });
    symlinkSync(target, join(home, "extensions"));
    mkdirSync(join(home, "theirs"));
    const found = asNobody([join(home, "theirs")], () => findExtensions({ folders: [], untrusted: home, ...search }));
    expect(found).toEqual({ extensions: [], shadowed: [], idle: [], problems: [] });
  });

  it("is reported if it is the folder of extensions itself", () => {
    const folder = join(home, "extensions");
    const found = asNobody([folder], () =>
      findExtensions({ folders: [{ of: "user", path: home, shown: home }], untrusted: home, ...search }),
    );
    expect(found).toMatchObject({ extensions: [], idle: [], problems: [{ origin: folder, code: "EACCES" }] });
  });
});

it.each(["plain", "with spaces", "with (brackets)"])(
  "an error of an extension in a folder %s names file and line",
  async (name) => {
    const folder = join(home, name);
    mkdirSync(folder);
    const file = join(folder, "mine.ts");
    writeFileSync(file, 'import "./helper.ts";\nexport default {};\n');
    writeFileSync(join(folder, "helper.ts"), '\nthrow new Error("no");\n');
    const loading = createExtensionLoader(undefined)({ id: "mine", path: file, file, of: "user" });
    await expect(loading).rejects.toThrow(`Extension "mine" is left out: no (${join(folder, "helper.ts")}:2)`);
  },
);

describe("an import that fails says what to do:", () => {
  it.each([
    [
      "a package",
      'import "not-there/part";',
      "Cannot find module 'not-there/part'. Install it next to the extension: npm install --prefix HOME not-there",
    ],
    ["a package with a scope", 'import "@acme/b/part";', "npm install --prefix HOME @acme/b"],
    [
      "a name",
      'import { definePlugn } from "@scorel/kernel"; definePlugn({});',
      '"@scorel/kernel" exports no "definePlugn". Did you mean "definePlugin"?',
    ],
    [
      "a name like none",
      'import { qqqqqqqq } from "@scorel/kernel"; qqqqqqqq();',
      '"@scorel/kernel" exports no "qqqqqqqq" (',
    ],
    ["a file", 'import "./not-there.ts";', "Cannot find module './not-there.ts'"],
  ])("%s", async (_what, source, message) => {
    const file = join(home, "x.ts");
    writeFileSync(file, source);
    mkdirSync(join(home, "cache"));
    const load = createExtensionLoader({ folder: join(home, "cache"), keyFile: join(home, "key") });
    const loading = load({ id: "x", path: file, file, of: "user" });
    await expect(loading).rejects.toMatchObject({ code: "EXTENSION_LOAD" });
    await expect(loading).rejects.toThrow(message.replace("HOME", home));
  });

  it.each([
    ["@scorel/host/contract", 'It has only types: write "import type" instead of "import"'],
    ["@scorel/agent", "Extensions can import @scorel/host/client, @scorel/host/command-line, @scorel/kernel, "],
  ])("%s, which is a module of Scorel that is not offered", async (name, advice) => {
    const reason = `Cannot find module '${name}'`;
    const told = await withAdvice(reason, { path: join(home, "x.ts") }, createVirtualModules());
    expect(told.startsWith(`${reason}. ${advice}`)).toBe(true);
  });
});
