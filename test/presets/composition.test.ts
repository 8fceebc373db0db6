import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { catalogue } from "../../presets/catalogue.ts";
import type { Asked } from "../../presets/composition/asked.ts";
import { hostPlugins } from "../../presets/composition/composition.ts";
import { askedIn, composed } from "./asked.ts";
import { type Place, place } from "./place.ts";

const { use: base } = parse(readFileSync(new URL("../../presets/base.toml", import.meta.url), "utf8")) as {
  use: string[];
};
const hostIds = base.filter((id) => catalogue[id]?.scope === "host");
/** The session plugins of the preset `none`, which is `base` without tools. */
const sessionIds = base.filter((id) => !hostIds.includes(id) && id !== "tools");
const plugin = (id: string, more = "") => `export default { id: "${id}", name: "${id}", version: "1.0.0", ${more} };`;

/** The plugins that a command in the project would start, and its notices. */
function started({ project }: Place, more: Partial<Asked> = {}) {
  const { asked, notices } = askedIn(project, more);
  const composition = composed(asked);
  const ids = (entries: readonly { plugin: { id: string } }[]) =>
    entries.map((entry) => entry.plugin.id).filter((id) => id !== "extensions/guards");
  return {
    notices,
    host: async () => ids((await hostPlugins(asked)).entries),
    session: async (cwd = project) => ids((await composition.sessionPlugins(cwd)).entries),
    composition,
  };
}

describe("the host", () => {
  it("gets the plugins of host scope, and sessions get the others", async () => {
    using at = place();
    const { host, session } = started(at);
    expect(await host()).toEqual(hostIds);
    expect(await session()).toEqual(sessionIds);
  });

  it("uses base when the preset has no host plugin or is the project's own", async () => {
    using at = place();
    at.file("~/.scorel/presets/bare.toml", 'use = ["messages"]');
    at.file(".scorel/presets/team.toml", 'use = ["messages", "model"]');
    const bare = started(at, { preset: "bare" });
    const team = started(at, { preset: "team", trust: true });
    expect([await bare.host(), await bare.session()]).toEqual([hostIds, ["messages"]]);
    expect([await team.host(), await team.session()]).toEqual([hostIds, ["messages", "model"]]);
  });

  it("uses the presets that a trusted project's preset extends, but nothing of the project itself", async () => {
    using at = place();
    at.file(".scorel/presets/team.toml", 'extends = "coding"', 'without = ["doctor"]');
    at.file("~/.scorel/config.toml", 'without = ["demo"]');
    const { host } = started(at, { preset: "team", trust: true });
    expect(await host()).toEqual([...hostIds.filter((id) => id !== "demo"), "blobs", "artifacts"]);
    await expect(started(at, { preset: "team" }).host()).rejects.toMatchObject({ code: "CONFIG_PRESET_UNTRUSTED" });
  });

  it("leaves the tables of session plugins to the session that the command opens", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[agent]", "callsPerReply = true");
    const wrong = { code: "CONFIG_INVALID" };
    await expect(started(at).host()).rejects.toMatchObject(wrong);
    const { host, session } = started(at, { opensSession: true });
    expect(await host()).toEqual(hostIds);
    await expect(session()).rejects.toMatchObject(wrong);
  });

  it("starts although an extension cannot be read, and names it", async () => {
    using at = place();
    const path = dirname(at.file("~/.scorel/extensions/mine/index.ts/lost.ts"));
    symlinkSync("circle", join(dirname(path), "circle"));
    const { asked } = askedIn(at.project);
    const { entries, problems, suspects } = await hostPlugins(asked);
    expect(entries.map(({ plugin: { id } }) => id)).toEqual(hostIds);
    expect(problems).toEqual([
      { plugin: "mine", origin: path, code: "EXTENSION_LOAD", message: expect.stringContaining("EISDIR") as string },
    ]);
    expect(suspects()).toEqual([path]);
    expect(await started(at).session()).toEqual(sessionIds);
  });

  it("checks its own tables, whatever the command does", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[daemon]", "idleMinutes = true");
    const wrong = { code: "CONFIG_INVALID" };
    await expect(started(at, { opensSession: true }).host()).rejects.toMatchObject(wrong);
  });

  it("can return a single shipped session plugin without running an extension", async () => {
    using at = place();
    at.file("~/.scorel/extensions/loud.ts", 'throw new Error("it was run");');
    const { entries, problems } = await started(at).composition.sessionPlugins(at.project, { only: "model" });
    expect([entries.map(({ plugin }) => plugin.id), problems]).toEqual([["model"], []]);
  });

  it("runs the user's extensions of host scope, but none of session scope", async () => {
    using at = place();
    at.file("~/.scorel/extensions/clock.ts", plugin("clock", 'scope: "host"'));
    at.file("~/.scorel/extensions/loud.ts", "globalThis.loudRan = true;", plugin("loud"));
    const { host, session } = started(at);
    expect(await host()).toEqual([...hostIds, "clock"]);
    expect("loudRan" in globalThis).toBe(false);
    expect(await session()).toEqual([...sessionIds, "loud"]);
  });

  it("is not changed by a project, trusted or not", async () => {
    using at = place();
    at.file(".scorel/extensions/spy.ts", plugin("spy", 'scope: "host"'));
    expect(await started(at, { trust: true }).host()).toEqual(hostIds);
  });
});

describe("--trust", () => {
  it("applies only to the project that the command started in", async () => {
    using at = place();
    const other = join(at.project, "../other");
    at.file("../other/.git/HEAD");
    at.file("../other/.scorel/extensions/theirs.ts", plugin("theirs"));
    at.file(".scorel/extensions/ours.ts", plugin("ours"));
    const { session, notices } = started(at, { trust: true });
    expect((await session()).at(-1)).toBe("ours");
    expect((await session(other)).at(-1)).toBe(sessionIds.at(-1));
    expect(notices).toEqual([
      `${other}/.scorel is not trusted, so nothing in it is used. To see it and trust it: scorel trust add ${other}; for one run: --trust`,
    ]);
  });
});

describe("a session", () => {
  it("gets the user's settings for its own project, not those for the project that the process started in", async () => {
    using at = place();
    at.file("../other/.git/HEAD");
    const directories = { here: at.project, other: join(at.project, "../other") };
    const projects = Object.entries(directories).map(([id, directory]) => ({
      projectId: id,
      name: id,
      directory,
      createdAt: 0,
    }));
    at.file("~/.scorel/projects.json", JSON.stringify({ version: 1, projects }));
    for (const id of Object.keys(directories))
      at.file(`~/.scorel/projects/${id}.toml`, "[permissions]", `allow = ["Bash(${id})"]`);
    const { composition } = started(at, { preset: "coding" });
    const allowed = async (cwd: string) =>
      (await composition.sessionPlugins(cwd)).entries.find(({ plugin: { id } }) => id === "permissions")?.config;
    expect([await allowed(directories.here), await allowed(directories.other)]).toEqual([
      { allow: ["Bash(here)"] },
      { allow: ["Bash(other)"] },
    ]);
  });

  it("gets each plugin with its table and origin", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[tools]", 'preset = "readonly"');
    const { entries } = await started(at, { preset: "base" }).composition.sessionPlugins(at.project);
    expect(entries.find(({ plugin: { id } }) => id === "tools")).toMatchObject({
      config: { preset: "readonly" },
      origin: expect.stringMatching(/^presets\/base\.toml:\d+$/),
    });
  });

  it("gets its own instances of extensions", async () => {
    using at = place();
    at.file("~/.scorel/extensions/own.ts", plugin("own"));
    const { composition } = started(at);
    const own = async () => (await composition.sessionPlugins(at.project)).entries.at(-2)?.plugin;
    const [first, second] = await Promise.all([own(), own()]);
    expect([first?.id, second?.id]).toEqual(["own", "own"]);
    expect(first).not.toBe(second);
  });
});

describe("a project", () => {
  const paths = [".scorel", ".scorel/extensions", ".mcp.json", ".agents", ".claude/skills", ".claude/agents"];

  it.each<[string, (path: string) => void]>([
    ["a link in a circle", (path) => symlinkSync(path, path)],
    ["a link to a name that is too long", (path) => symlinkSync("x".repeat(300), path)],
    ["a link through a file", (path) => symlinkSync(join("..", "README.md", "x"), path)],
    ["a file", (path) => writeFileSync(path, "")],
  ])("in which %s is in the place of its files for Scorel stops no start", async (_what, make) => {
    for (const path of paths) {
      using at = place();
      at.file("README.md");
      const full = at.file(path);
      rmSync(full);
      make(full);
      const { host, session } = started(at);
      expect({ path, host: await host(), session: await session() }).toEqual({
        path,
        host: hostIds,
        session: sessionIds,
      });
    }
  });
});
