import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KernelEntry } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import type { ContainedPlugin } from "../../plugins/extensions/containment/contained-plugin.ts";
import { listPresets } from "../../plugins/inspect/text.ts";
import { createLayersService } from "../../presets/composition/layers-service.ts";
import { type Shop, shop } from "../plugins/packages/shop.ts";
import { askedIn, composed } from "./asked.ts";

const asking = ({ cwd }: Shop, preset: string) => askedIn(cwd, { preset }).asked;

/** The path of a loaded extension's file. */
const fileOf = ({ contained }: KernelEntry) => (contained as unknown as ContainedPlugin).origin.file;

/** The ids and files of the extensions that a session with this preset would load. */
async function session(at: Shop, preset = "team") {
  const { entries, packages } = await composed(asking(at, preset)).sessionPlugins(at.cwd);
  const own = entries.flatMap((entry) => (entry.contained ? [{ id: entry.plugin.id, file: fileOf(entry) }] : []));
  return { ids: own.map(({ id }) => id), files: own.map(({ file }) => file), packages };
}

const refusal = (files: string) => ({
  code: "PRESET_CHANGED",
  message: `The preset "team" differs from what was installed: ${files}. It is not loaded. To see what differs: scorel preset diff team; to install it again: scorel preset update team`,
});

async function installed(): Promise<Shop> {
  const at = shop();
  at.preset("team", { "preset.toml": 'extends = "none"\ndescription = "ours"\n', "more.toml": 'extends = "none"\n' });
  await at.run("add", ["team"]);
  return at;
}

describe("an installed preset that is used", () => {
  it("is loaded from a private copy of exactly what was installed", async () => {
    using at = await installed();
    const { ids, files, packages } = await session(at);
    expect(ids).toEqual(["guard"]);
    const folder = join(at.home, ".scorel/presets/team");
    const root = expect.stringMatching(/\/\.scorel\/cache\/presets\/[\da-f]{64}$/);
    expect(packages).toEqual([{ name: "team", folder, root }]);
    // The hashed bytes run, even if the folder changes between hashing and loading.
    expect(files).toEqual([join(packages?.[0]?.root ?? "", "extensions/guard.js")]);
  });

  it.each<[string, (at: Shop) => void, string]>([
    ["changed", (at) => at.file("~/.scorel/presets/team/extensions/guard.js", "//"), "extensions/guard.js (changed)"],
    ["added to", (at) => at.file("~/.scorel/presets/team/extensions/evil.js", "//"), "extensions/evil.js (added)"],
    [
      "robbed",
      (at) => rmSync(join(at.home, ".scorel/presets/team/extensions/guard.js")),
      "extensions/guard.js (removed)",
    ],
    [
      "taken away",
      (at) => rmSync(join(at.home, ".scorel/presets/team"), { recursive: true }),
      "extensions/guard.js (removed), more.toml (removed), preset.toml (removed)",
    ],
  ])("is refused when it was %s, by name, by path, and where another builds on it", async (_, tamper, files) => {
    using at = await installed();
    at.file("~/.scorel/presets/mine.toml", 'extends = "team"\n');
    tamper(at);
    await expect(session(at)).rejects.toMatchObject(refusal(files));
    await expect(session(at, "mine")).rejects.toMatchObject(refusal(files));
    if (files.includes("preset.toml")) return;
    for (const path of ["team", "team/preset.toml", "team/more.toml"])
      await expect(session(at, join(at.home, ".scorel/presets", path))).rejects.toMatchObject(refusal(files));
  });

  it("is installed after a list of its content that names what it locks", async () => {
    using at = shop();
    at.preset("team", { "preset.toml": 'extends = "none"\nlocked = ["permissions.mode", "guard"]\n' });
    const { said } = await at.run("add", ["team"]);
    expect(said).toContain("  locks permissions.mode, so that no project can change it  (preset.toml:2)\n");
    expect(said).toContain("  locks guard, so that no project can change it  (preset.toml:2)\n");
  });

  it("is installed after the problems that `scorel preset check` finds in it", async () => {
    using at = shop();
    at.preset("team", {
      "preset.toml": 'extends = "none"\n[permissions]\nmode = "careless"\n',
      "extensions/guard.js": "export default {",
    });
    const { said } = await at.run("add", ["team"]);
    expect(said.replaceAll(at.cwd, "/work")).toMatch(
      /^Install "team" from the folder \/work\/team\nIt may not work; scorel preset check reports:\n {2}Invalid value of permissions\.mode: .* \(preset\.toml:3\)\n {2}.*extensions\/guard\.js:1\)\nruns code/,
    );
    at.preset("team", { "preset.toml": 'extends = "none"\n' });
    const updated = await at.run("update", ["team"]);
    expect(updated).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^Update "team" from the folder [^\n]*\n(?!It may)/),
    });
  });

  it("cannot add lines to that list with line breaks in a name", async () => {
    using at = shop();
    at.preset("team", { "preset.toml": 'extends = "none"\nuse = ["a\\nruns nothing:"]\n' });
    expect((await at.run("add", ["team"])).said).toContain(
      '\n  There is no plugin or extension "a\\u{a}runs nothing:" to use (preset.toml:2).\n',
    );
  });

  it("is listed with its source, version and state", async () => {
    using at = await installed();
    const list = async () => {
      const rows = listPresets(await createLayersService(asking(at, "none")).presets());
      return rows
        .split("\n")
        .find((row) => row.startsWith("team"))
        ?.replace(at.cwd, "/work");
    };
    expect(await list()).toBe("team      ours (from /work/team)");
    at.file("~/.scorel/presets/team/extensions/guard.js", "//");
    expect(await list()).toBe("team      (from /work/team; changed since, so it is refused: scorel preset diff team)");
  });

  it("can be shown, updated and removed while it is refused, even if the user's configuration extends it", async () => {
    using at = await installed();
    at.file("~/.scorel/config.toml", 'extends = "team"\n');
    rmSync(join(at.home, ".scorel/presets/team/preset.toml"));
    await expect(session(at, "none")).rejects.toMatchObject({ code: "PRESET_CHANGED" });
    expect(await at.run("diff", ["team"])).toMatchObject({ code: 1 });
    expect(await at.run("update", ["team"])).toMatchObject({ code: 0 });
    expect((await session(at, "none")).ids).toEqual(["guard"]);
    rmSync(join(at.home, ".scorel/presets/team/preset.toml"));
    expect(await at.run("remove", ["team"])).toMatchObject({ code: 0 });
  });

  it("is not used when the lock file is invalid", async () => {
    using at = await installed();
    writeFileSync(join(at.home, ".scorel/presets/presets.lock.json"), "{");
    await expect(session(at)).rejects.toMatchObject({ code: "PRESET_LOCK" });
  });

  it("counts as the user's own when it was put there by hand", async () => {
    using at = await installed();
    renameSync(join(at.home, ".scorel/presets/team"), join(at.home, ".scorel/presets/own"));
    expect((await session(at, "own")).ids).toEqual(["guard"]);
  });
});
