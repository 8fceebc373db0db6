import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { extensions } from "../../plugins/packages/store/kinds.ts";
import { verifiedPackage } from "../../plugins/packages/store/verify.ts";
import { type Shop, shop } from "../plugins/packages/shop.ts";
import { atEachKill, bin, commandIn } from "./killed-command.ts";

/** Two versions of an extension, as folders. */
function shopWithSources(): Shop {
  const at = shop();
  const source = (version: string) => `export default { id: "rules", name: "Rules", version: "${version}" };\n`;
  for (const version of ["v1", "v2"])
    at.extension(version, { "index.mjs": source(version), [`only-${version}.mjs`]: "export const more = 1;\n" });
  return at;
}

const names = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
const packages = ({ home }: Shop) => join(home, ".scorel/packages");
const leftIn = (at: Shop) => [
  ...names(join(packages(at), ".staging")),
  ...names(packages(at)).filter((name) => name.endsWith(".tmp")),
];

/** The installed state: nothing, or one of the two versions completely. Throws if it is anything else. */
async function state(at: Shop): Promise<string> {
  const root = await verifiedPackage(extensions, "rules");
  const [found] = await at.extensions.list();
  if (!found || root === undefined) {
    expect([found, root, existsSync(join(packages(at), "rules"))]).toEqual([undefined, undefined, false]);
    return "nothing";
  }
  const version = /version: "(v\d)"/.exec(readFileSync(join(root, "index.mjs"), "utf8"))?.[1] ?? "";
  expect({ state: found.state, files: names(join(packages(at), "rules")) }).toEqual({
    state: "installed",
    files: ["index.mjs", `only-${version}.mjs`],
  });
  return version;
}

describe("a killed process", () => {
  it.each<[string, string[], string[], string[]]>([
    ["that installs", [], ["add", "./v1", "--yes"], ["nothing", "v1"]],
    ["that updates", ["add", "v1"], ["update", "rules", "./v2", "--yes"], ["v1", "v2"]],
    ["that removes", ["add", "v1"], ["remove", "rules"], ["v1", "nothing"]],
  ])(
    "%s leaves either the old or the new state of an extension, complete",
    async (_, begin, args, outcomes) => {
      using at = shopWithSources();
      const [action, ...given] = begin;
      if (action === "add") expect(await at.plugin(action, given)).toMatchObject({ code: 0 });
      const seen = new Set<string>();
      await atEachKill(at, ["plugin", ...args], async (change) => {
        seen.add(await state(at));
        if (change === undefined) expect(leftIn(at)).toEqual([]);
      });
      expect(seen).toEqual(new Set(outcomes));
    },
    300_000,
  );
});

describe("a signal", () => {
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const;
  it.each(signals)("%s in the middle of an installation ends it, and nothing is installed", async (signal, code) => {
    using at = shopWithSources();
    // The folder for the new files has just been made.
    expect(await commandIn(at, ["plugin", "add", "./v1", "--yes"], 4, signal)).toEqual({
      code,
      signal: null,
      stderr: "scorel: interrupted; nothing was installed\n",
    });
    expect([await state(at), leftIn(at)]).toEqual(["nothing", []]);
  });

  it("SIGINT in the middle of an update leaves the installed version", async () => {
    using at = shopWithSources();
    expect(await at.plugin("add", ["v1"])).toMatchObject({ code: 0 });
    expect(await commandIn(at, ["plugin", "update", "rules", "./v2", "--yes"], 3, "SIGINT")).toMatchObject({
      code: 130,
    });
    expect([await state(at), leftIn(at)]).toEqual(["v1", []]);
  });
});

it("an extension that does not fit on the disk is not installed, and the command says why", async () => {
  using at = shopWithSources();
  at.file("v1/long.md", "words\n".repeat(100_000));
  const child = spawn(
    "sh",
    ["-c", 'ulimit -f 64; exec "$0" "$@"', process.execPath, bin, "plugin", "add", "./v1", "--yes"],
    {
      cwd: at.cwd,
      env: { PATH: process.env.PATH, HOME: at.home },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
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

it("of two simultaneous installs of one extension, one is refused", async () => {
  using at = shopWithSources();
  const ended = await Promise.all(
    ["v1", "v2", "v1"].map((from) => commandIn(at, ["plugin", "add", `./${from}`, "--yes"])),
  );
  expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
  for (const { code, stderr } of ended.filter((each) => each.code !== 0))
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is already installed|another process has installed/)]);
  expect(await state(at)).toMatch(/^v[12]$/);
});
