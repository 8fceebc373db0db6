import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createCodeCache } from "../../presets/bundle/code-cache.ts";
import { createModules } from "../../presets/bundle/modules.ts";
import { type Place, place } from "./place.ts";

const body = (code: string) => `function (exports, require, module) { ${code} }`;

/** The modules of a built command: those of `first` and those of `sessions` are each in one file. */
function modules(
  { project, file }: Place,
  first: Record<string, string>,
  alone: Record<string, string> = {},
  sessions: Record<string, string> = {},
) {
  for (const [name, modules] of Object.entries({ "first.js": first, "sessions.js": sessions })) {
    const bodies = Object.entries(modules).map(([name, code]) => `${JSON.stringify(name)}: ${body(code)}`);
    writeFileSync(join(project, name), `({ ${bodies.join(",")} })`);
  }
  for (const [name, code] of Object.entries(alone)) file(name, `(${body(code)})`);
  return createModules(project, createCodeCache());
}

describe("a module of the built command", () => {
  it("requires other modules, from the common file and from their own files", () => {
    using at = place();
    const load = modules(
      at,
      { "main.js": `exports.found = [require("./chunks/a.js").a, require("./plugins/b.js").b];` },
      { "chunks/a.js": `exports.a = require("../plugins/b.js").b + 1;`, "plugins/b.js": "exports.b = 1;" },
    );
    expect(load("main.js")).toEqual({ found: [2, 1] });
  });
  it("is read from the file of sessions only when it is needed", () => {
    using at = place();
    const load = modules(at, { "main.js": `exports.later = () => require("./plugins/agent.js").name;` }, {}, {});
    const { later } = load("main.js") as { later(): string };
    writeFileSync(join(at.project, "sessions.js"), `({ "plugins/agent.js": ${body('exports.name = "agent";')} })`);
    expect(later()).toBe("agent");
  });
  it("that is nowhere is named with its place", () => {
    using at = place();
    const load = modules(at, { "main.js": `require("./chunks/gone.js");` });
    expect(() => load("main.js")).toThrow(`${at.project}/chunks/gone.js is missing: install Scorel again`);
  });
  it("that cannot be loaded says why each time, and is loaded when it is there", () => {
    using at = place();
    const load = modules(at, { "main.js": `exports.later = () => require("./chunks/late.js").found;` });
    const { later } = load("main.js") as { later(): string };
    for (let attempt = 0; attempt < 2; attempt++)
      expect(later).toThrow(`${at.project}/chunks/late.js is missing: install Scorel again`);
    at.file("chunks/late.js", `(${body('exports.found = "found";')})`);
    expect(later()).toBe("found");
  });
  it("runs once, even if two modules require each other", () => {
    using at = place();
    const load = modules(at, {
      "a.js": `exports.runs = (exports.runs ?? 0) + 1; exports.b = require("./b.js");`,
      "b.js": `exports.a = require("./a.js");`,
    });
    expect(load("b.js")).toBe(load("b.js"));
    expect(load("a.js")).toMatchObject({ runs: 1, b: load("b.js") });
  });
  it("can require Node's modules, and gets its own URL", () => {
    using at = place();
    const load = modules(at, { "a.js": `module.exports = { sep: require("node:path").sep, url: module.url };` });
    expect(load("a.js")).toEqual({ sep: "/", url: pathToFileURL(join(at.project, "a.js")).href });
  });
  it("appears in stack traces with its file", () => {
    using at = place();
    const load = modules(at, {}, { "a.js": `throw new Error("broken");` });
    expect(() => load("a.js")).toThrow(
      expect.objectContaining({ stack: expect.stringContaining(`${at.project}/a.js:1`) }),
    );
  });
});
