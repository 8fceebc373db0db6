import { chmodSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { parseRange, parseVersion } from "../../plugins/kit/text/version-range.ts";
import { hostPlugins } from "../../presets/composition/composition.ts";
import { askedIn, composed } from "./asked.ts";
import { type Place, place } from "./place.ts";

const contains = (range: string, version: string) => parseRange(range)?.(parseVersion(version) ?? [0, 0, 0]);

describe("a range of versions", () => {
  it.each([
    [">=1.2", ["1.2.0", "1.2.9", "2.0.0"], ["1.1.9", "0.9.9"]],
    [">=0.1 <0.3", ["0.1.0", "0.2.99"], ["0.0.9", "0.3.0"]],
    [">= 1.0.0 < 2", ["1.0.0", "1.9.9"], ["2.0.0"]],
    [">1.2", ["1.3.0"], ["1.2.0", "1.2.7"]],
    ["<=1.2", ["1.2.7", "0.0.0"], ["1.3.0"]],
    ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
    ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0"]],
    ["^0.0.3", ["0.0.3"], ["0.0.4"]],
    ["^0", ["0.0.0", "0.9.9"], ["1.0.0"]],
    ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
    ["~1", ["1.0.0", "1.9.0"], ["2.0.0"]],
    ["1.x", ["1.0.0", "1.9.9"], ["2.0.0"]],
    ["v1.2.3", ["1.2.3"], ["1.2.4"]],
    ["*", ["0.0.0", "99.0.0"], []],
    ["^1.0 || ^3.0", ["1.5.0", "3.1.0"], ["2.0.0"]],
  ])("%s contains the same versions as in npm", (range, inside, outside) => {
    expect(inside.map((version) => contains(range, version))).toEqual(inside.map(() => true));
    expect(outside.map((version) => contains(range, version))).toEqual(outside.map(() => false));
  });

  it.each(["", "latest", ">=1.2.3.4", "1.2 ||", "<*", "^x", ">=", "1..2"])("%j is invalid", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  it("divides all versions into lower, equal and higher ones", () => {
    const version = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9));
    fc.assert(
      fc.property(version, version, (a, b) => {
        const text = a.join(".");
        const sides = [`<${text}`, `=${text}`, `>${text}`].filter((range) => contains(range, b.join(".")));
        expect(sides).toHaveLength(1);
        expect(contains(`>=${text}`, b.join("."))).toBe(!contains(`<${text}`, b.join(".")));
      }),
    );
  });
});

describe("a requirement of a preset", () => {
  const asked = ({ project }: Place) => askedIn(project, { preset: "team" }).asked;
  const opened = (at: Place) => composed(asked(at)).sessionPlugins(at.project);
  const refusal = (at: Place) =>
    opened(at).then(
      () => ({ code: "none", lines: [] as string[] }),
      ({ code, message }: { code: string; message: string }) => ({ code, lines: message.split("\n") }),
    );

  it("is reported with its line and what to do if it is missing", async () => {
    using at = place();
    const file = at.file(
      "~/.scorel/presets/team/preset.toml",
      'extends = "none"',
      'without = ["commands"]',
      "[requires]",
      'scorel = ">=99"',
      'node = "<18"',
      'plugins = ["prompt", "commands", "rules"]',
      'programs = ["node", "no-such-program"]',
    );
    const [scorel, node] = [manifest.version, process.versions.node];
    expect(await refusal(at)).toEqual({
      code: "CONFIG_REQUIRES",
      lines: [
        `${file} requires Scorel >=99, and this is ${scorel}. Install a matching version: npm install --global scorel (${file}:4)`,
        `${file} requires Node.js <18, and this is ${node}. Run scorel with a matching version (${file}:5)`,
        `${file} requires the plugin "commands", which is not in use. Add it to "use", or remove it from "without" (${file}:6)`,
        `${file} requires the plugin "rules", which is not in use. Add it to "use", or remove it from "without" (${file}:6)`,
        `${file} requires the program no-such-program, which is not on the PATH. Install it (${file}:7)`,
      ],
    });
  });

  it("may be an extension of the preset, or a program in any folder of the PATH", async () => {
    using at = place();
    at.file(
      "~/.scorel/presets/team/preset.toml",
      'extends = "none"',
      "[requires]",
      'scorel = ">=0.1"',
      'node = ">=20"',
      'plugins = ["rules"]',
      'programs = ["own-tool"]',
    );
    at.file(
      "~/.scorel/presets/team/extensions/rules.ts",
      'export default { id: "rules", name: "Rules", version: "1.0.0", needs: [] };',
    );
    const tool = at.file("bin/own-tool", "#!/bin/sh");
    const before = process.env.PATH;
    process.env.PATH = `${dirname(tool)}${delimiter}${before}`;
    try {
      expect((await refusal(at)).code).toBe("CONFIG_REQUIRES");
      chmodSync(tool, 0o755);
      expect((await refusal(at)).code).toBe("none");
    } finally {
      process.env.PATH = before;
    }
  });

  it("may be a preset that is in use, in a range of versions", async () => {
    using at = place();
    const requiring = (text: string, extending = '["none", "house"]') =>
      at.file("~/.scorel/presets/team.toml", `extends = ${extending}`, "[requires]", `presets = ["${text}"]`);
    at.file("~/.scorel/presets/house/preset.toml", "");
    const file = requiring("house");
    expect(await refusal(at)).toEqual({ code: "none", lines: [] });
    requiring("house@^1.2");
    expect((await refusal(at)).lines).toEqual([
      `${file} requires the preset "house" ^1.2, and the one in use has no version. Add a package.json with a "version" to it (${file}:3)`,
    ]);
    at.file("~/.scorel/presets/house/package.json", '{ "version": "1.4.0" }');
    expect((await refusal(at)).code).toBe("none");
    requiring("house@>=2");
    expect((await refusal(at)).lines).toEqual([
      `${file} requires the preset "house" >=2, and this is 1.4.0. Run: scorel preset update house (${file}:3)`,
    ]);
    requiring("none@>=0.1");
    expect((await refusal(at)).code).toBe("none");
    requiring("house", '"none"');
    expect((await refusal(at)).lines).toEqual([
      `${file} requires the preset "house", which is not in use. Add it to "extends"; to install it first: scorel preset add <source> (${file}:3)`,
    ]);
    requiring("house@newest");
    expect((await refusal(at)).lines).toEqual([
      `Invalid value of requires.presets, entry 1, "house@newest": it is not a preset's name, or name@range such as team@^1.2 (${file}:3)`,
    ]);
  });

  it("is checked when a session opens, so that the commands that repair it run", async () => {
    using at = place();
    at.file("~/.scorel/presets/team.toml", 'extends = "none"', "[requires]", 'scorel = ">=99"');
    expect((await hostPlugins(asked(at))).entries.map(({ plugin }) => plugin.id)).toContain("cli");
  });

  it("must be a range, an id or a name", async () => {
    using at = place();
    const file = at.file(
      "~/.scorel/presets/team.toml",
      "[requires]",
      'scorel = "newest"',
      "node = 20",
      'programs = ["../git"]',
      'npm = "1"',
    );
    expect(await refusal(at)).toEqual({
      code: "CONFIG_INVALID",
      lines: [
        `Invalid value of requires.scorel: it is not a range of versions such as >=1.2, ^1.2.3 or 1.x (${file}:2)`,
        expect.stringContaining(`Invalid value of requires.node:`),
        `Invalid value of requires.programs, entry 1, "../git": it is not the name of a program (${file}:4)`,
        `Unsupported config key: requires.npm (${file}:5)`,
      ],
    });
    expect(join(at.home, ".scorel/presets/team.toml")).toBe(file);
  });
});
