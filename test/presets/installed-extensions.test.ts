import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KernelEntry } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import type { ContainedPlugin } from "../../plugins/extensions/containment/contained-plugin.ts";
import { hostPlugins } from "../../presets/composition/composition.ts";
import { type Shop, shop } from "../plugins/packages/shop.ts";
import { askedIn, composed } from "./asked.ts";

const asking = ({ cwd }: Shop) => askedIn(cwd, { preset: "none" }).asked;
const fileOf = ({ contained }: KernelEntry) => (contained as unknown as ContainedPlugin).origin.file;

/** The extensions of a new session, and what was left out. */
async function session(at: Shop) {
  const { entries, problems } = await composed(asking(at)).sessionPlugins(at.cwd);
  const own = entries.filter(({ contained }) => contained);
  return { ids: own.map(({ plugin }) => plugin.id), files: own.map(fileOf), problems };
}

async function installed(files: Record<string, string> = {}): Promise<Shop> {
  const at = shop();
  at.extension("rules", files);
  expect(await at.plugin("add", ["rules"])).toMatchObject({ code: 0 });
  return at;
}

describe("an installed extension", () => {
  it("is loaded in each session, from a private copy of exactly what was installed", async () => {
    using at = await installed({
      "index.mjs": 'import { id } from "./id.mjs";\nexport default { id, name: "R", version: "1" };',
      "id.mjs": 'export const id = "rules";',
    });
    const { ids, files, problems } = await session(at);
    expect({ ids, problems }).toEqual({ ids: ["rules"], problems: [] });
    expect(files).toEqual([expect.stringMatching(/\/\.scorel\/cache\/packages\/[\da-f]{64}\/index\.mjs$/)]);
  });

  it("may run once per process, as one that the user wrote", async () => {
    using at = await installed({
      "index.mjs": 'export default { id: "rules", name: "R", version: "1", scope: "host" };',
    });
    const { entries, problems } = await hostPlugins(asking(at));
    expect(problems).toEqual([]);
    expect(entries.filter(({ contained }) => contained).map(({ plugin }) => plugin.id)).toEqual(["rules"]);
    expect((await session(at)).ids).toEqual([]);
  });

  it.each<[string, (at: Shop) => void, string, RegExp]>([
    [
      "changed",
      (at) => at.file("~/.scorel/packages/rules/index.mjs", "//"),
      "PACKAGE_CHANGED",
      /index\.mjs \(changed\)/,
    ],
    ["added to", (at) => at.file("~/.scorel/packages/rules/more.mjs", "//"), "PACKAGE_CHANGED", /more\.mjs \(added\)/],
    [
      "deleted",
      (at) => rmSync(join(at.home, ".scorel/packages/rules"), { recursive: true }),
      "PACKAGE_CHANGED",
      /index\.mjs \(removed\)/,
    ],
    [
      "locked by a damaged file",
      (at) => writeFileSync(join(at.home, ".scorel/packages/packages.lock.json"), "{"),
      "PACKAGE_LOCK",
      /packages\.lock\.json cannot be used/,
    ],
  ])("is left out when it was %s, and the session opens", async (_, tamper, code, message) => {
    using at = await installed();
    at.file("~/.scorel/extensions/own.mjs", 'export default { id: "own", name: "O", version: "1" };');
    tamper(at);
    const { ids, problems } = await session(at);
    expect({ ids, problems }).toEqual({
      ids: ["own"],
      problems: [expect.objectContaining({ code, message: expect.stringMatching(message) })],
    });
  });

  it("keeps a session from opening when it is required and was changed", async () => {
    using at = await installed();
    at.file("~/.scorel/config.toml", '[requires]\nplugins = ["rules"]\n');
    expect((await session(at)).ids).toEqual(["rules"]);
    at.file("~/.scorel/packages/rules/index.mjs", "//");
    await expect(session(at)).rejects.toMatchObject({ code: "CONFIG_REQUIRES" });
  });

  it("is left out after an update of Scorel that it is not made for", async () => {
    using at = await installed({ "package.json": '{ "version": "1.0.0", "engines": { "scorel": "*" } }' });
    const { installedExtensions } = await import("../../plugins/packages/store/extensions.ts");
    expect((await installedExtensions("9.9.9")).extensions).toHaveLength(1);
    at.file("rules/package.json", '{ "version": "1.0.1", "engines": { "scorel": "<1" } }');
    expect(await at.plugin("update", ["rules"])).toMatchObject({ code: 0 });
    expect(await installedExtensions("1.0.0")).toEqual({
      extensions: [],
      problems: [expect.objectContaining({ code: "PACKAGES_ENGINE" })],
    });
  });

  it("gives way to one of the same id that the user writes later", async () => {
    using at = await installed();
    const own = at.file("~/.scorel/extensions/rules.mjs", 'export default { id: "rules", name: "O", version: "1" };');
    expect((await session(at)).files).toEqual([own]);
  });

  it("may not import files outside of its package", async () => {
    using at = shop();
    at.extension("rules", {
      "index.mjs": 'import "../other/x.mjs";\nexport default { id: "rules", name: "R", version: "1" };',
    });
    expect(await at.plugin("add", ["rules"])).toMatchObject({ code: "PACKAGES_CHECK" });
    expect(await session(at)).toEqual({ ids: [], files: [], problems: [] });
  });
});
