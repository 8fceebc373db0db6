import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { presets } from "../../plugins/packages/store/kinds.ts";
import { verifiedPackage } from "../../plugins/packages/store/verify.ts";
import { type Shop, shop } from "../plugins/packages/shop.ts";
import { atEachKill, bin, commandIn } from "./killed-command.ts";

const preset = (shop: Shop, args: readonly string[]) => commandIn(shop, ["preset", ...args]);

/** A source with two versions of a preset, as folders. */
function shopWithSources(): Shop {
  const at = shop();
  for (const version of ["v1", "v2"])
    at.preset(version, { "instructions/a.md": `${version}\n`, [`instructions/only-${version}.md`]: "words\n" });
  return at;
}

const below = ({ home }: Shop, path: string) => join(home, ".scorel", path);
const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const leftIn = (at: Shop) => [
  ...names(below(at, "presets/.staging")),
  ...names(below(at, "presets")).filter((name) => /^presets\.lock\.json\.\w+\.tmp$/.test(name)),
];

/** The installed state: nothing, or one of the two versions completely. Throws if it is anything else. */
async function state(at: Shop): Promise<string> {
  const root = await verifiedPackage(presets, "team");
  const [found] = await at.store.list();
  if (!found || root === undefined) {
    expect([found, root, existsSync(below(at, "presets/team"))]).toEqual([undefined, undefined, false]);
    return "nothing";
  }
  const version = readFileSync(join(root, "instructions/a.md"), "utf8").trim();
  expect({ state: found.state, files: names(below(at, "presets/team/instructions")).sort() }).toEqual({
    state: "installed",
    files: ["a.md", `only-${version}.md`],
  });
  return version;
}

/**
 * The installed states after a command, and after a kill right before each of its changes; checks that the command
 * recovers from each.
 */
async function killedEverywhere(
  begin: (at: Shop) => Promise<unknown>,
  args: readonly string[],
  again: (at: Shop) => ReturnType<Shop["run"]>,
  done?: string,
): Promise<Set<string>> {
  using at = shopWithSources();
  await begin(at);
  const seen = new Set<string>();
  await atEachKill(at, args, async (change) => {
    seen.add(await state(at));
    if (change === undefined) return;
    // The same command can be run again in any state, and cleans up.
    const { code: second } = await again(at);
    expect({ change, second: second === done ? 0 : second }).toEqual({ change, second: 0 });
    expect({ change, left: second === 0 ? leftIn(at) : [] }).toEqual({ change, left: [] });
  });
  return seen;
}

const add = ["preset", "add", "./v1", "--name", "team", "--yes"];
const installV1 = (at: Shop) => at.run("add", ["v1"], { yes: true, name: "team" });

describe("a killed process", () => {
  it("that was installing has installed everything or nothing", async () => {
    expect(await killedEverywhere(async () => {}, add, installV1, "PACKAGES_INSTALLED")).toEqual(
      new Set(["nothing", "v1"]),
    );
  }, 300_000);

  it("that was updating leaves either the old or the new version", async () => {
    const seen = await killedEverywhere(installV1, ["preset", "update", "team", "./v2", "--yes"], (at) =>
      at.run("update", ["team", "v2"]),
    );
    expect(seen).toEqual(new Set(["v1", "v2"]));
  }, 300_000);

  it("that was removing leaves the whole preset or nothing", async () => {
    expect(
      await killedEverywhere(
        installV1,
        ["preset", "remove", "team"],
        (at) => at.run("remove", ["team"]),
        "PACKAGES_UNKNOWN",
      ),
    ).toEqual(new Set(["v1", "nothing"]));
  }, 300_000);
});

it("an install that fails on a full disk has installed nothing, and reports it", async () => {
  using at = shopWithSources();
  at.file("v1/instructions/long.md", "words\n".repeat(100_000));
  const limited = 'ulimit -f 64; exec "$0" "$@"';
  const child = spawn("sh", ["-c", limited, process.execPath, bin, ...add], {
    cwd: at.cwd,
    env: { PATH: process.env.PATH, HOME: at.home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => {
    stderr += words;
  });
  const [code] = await once(child, "close");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^scorel: Nothing was installed, because writing to the disk failed: EFBIG/),
  });
  expect([await state(at), leftIn(at)]).toEqual(["nothing", []]);
});

describe("a preset that is updated while it is used", () => {
  it("is loaded in one version or the other, and never considered changed", async () => {
    using at = shopWithSources();
    await installV1(at);
    let isDone = false;
    const updates = async () => {
      for (let round = 0; round < 6; round++)
        expect(await preset(at, ["update", "team", round % 2 ? "./v1" : "./v2", "--yes"])).toMatchObject({ code: 0 });
      isDone = true;
    };
    const seen = new Set<string>();
    const reads = async () => {
      while (!isDone) {
        const root = (await verifiedPackage(presets, "team")) as string;
        const version = readFileSync(join(root, "instructions/a.md"), "utf8").trim();
        expect(names(join(root, "instructions")).sort()).toEqual(["a.md", `only-${version}.md`]);
        seen.add(version);
        await turn();
      }
    };
    await Promise.all([updates(), reads(), reads()]);
    expect(seen).toEqual(new Set(["v1", "v2"]));
  });

  it("stays readable for sessions that use the previous version", async () => {
    using at = shopWithSources();
    await installV1(at);
    const before = (await verifiedPackage(presets, "team")) as string;
    await at.run("update", ["team", "v2"]);
    expect(readFileSync(join(before, "instructions/a.md"), "utf8")).toBe("v1\n");
    await at.run("remove", ["team"]);
    expect(await verifiedPackage(presets, "team")).toBeUndefined();
  });
});

describe("simultaneous installs", () => {
  it("of different names are all installed completely", async () => {
    using at = shopWithSources();
    const all = ["a", "b", "c", "d"];
    const ended = await Promise.all(all.map((name) => preset(at, ["add", "./v1", "--name", name, "--yes"])));
    expect(ended).toEqual(all.map(() => ({ code: 0, signal: null, stderr: "" })));
    expect((await at.store.list()).map(({ name, state }) => [name, state]).sort()).toEqual(
      all.map((name) => [name, "installed"]),
    );
    expect(names(below(at, "presets/.staging"))).toEqual([]);
  });

  it("of one name result in one install, and the others are told", async () => {
    using at = shopWithSources();
    const sources = ["v1", "v2", "v1", "v2"];
    const ended = await Promise.all(
      sources.map((source) => preset(at, ["add", `./${source}`, "--name", "team", "--yes"])),
    );
    expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, stderr } of ended.filter((each) => each.code !== 0))
      expect([code, stderr]).toEqual([2, expect.stringMatching(/is already installed|another process has installed/)]);
    expect(await state(at)).toMatch(/^v[12]$/);
  });
});
