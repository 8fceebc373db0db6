import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { serveArchives } from "../archive-server.ts";
import { secondProcess } from "../second-process.ts";
import { addTo, openStore, type StoreGround, skillOf, storeGround, zipOf } from "../skill-ground.ts";

const killer = fileURLToPath(new URL("../fixtures/kill-at.cjs", import.meta.url));
const runner = new URL("skill-store-runner.ts", import.meta.url);

/** Runs an action of skill-store-runner, killed right before its at-th change of a file; returns whether it was killed. */
async function isKilled(g: StoreGround, action: string, at: number): Promise<boolean> {
  const through = ["env", `NODE_OPTIONS=--require=${killer}`, `KILL_AT=${at}`, "KILL_IN=.scorel"];
  await using other = await secondProcess(runner, g.root, [g.home, action, join(g.root, "s.zip")], { through });
  const [code, signal] = other.child.exitCode === null ? await once(other.child, "exit") : [other.child.exitCode, null];
  if (signal === null) expect(code).toBe(0);
  return signal !== null;
}

/** The installed state: nothing, or one of the two versions completely. Throws if it is anything else. */
async function state(g: StoreGround): Promise<string> {
  const [found] = await openStore(g.home).list();
  if (!found) return "nothing";
  const files = readdirSync(join(found.folder, "s")).sort().join(" ");
  const version = readFileSync(join(found.folder, "s/which.md"), "utf8");
  const staged = await openStore(g.home).stage(join(g.root, "s.zip"), "/", { allowHosts: [] });
  staged.discard();
  expect({ version, files, isIntact: staged.isIntact }).toEqual({
    version,
    files: `SKILL.md ${version}.md which.md`,
    isIntact: true,
  });
  return version;
}

const archive = (version: string) =>
  zipOf({ "SKILL.md": skillOf("pdf"), "which.md": version, [`${version}.md`]: "words" });

it.each<[string, string | undefined, number, string[]]>([
  ["add", undefined, 6, ["nothing", "v2"]],
  ["update", "v1", 4, ["v1", "v2"]],
  ["remove", "v2", 2, ["nothing", "v2"]],
])(
  "a killed %s of skills has done everything or nothing, and can be repeated",
  async (action, before, step, states) => {
    using g = storeGround();
    if (before !== undefined) await g.add(g.file("s.zip", archive(before)));
    g.file("s.zip", archive("v2"));
    const kept = join(g.root, "kept");
    cpSync(g.home, kept, { recursive: true });
    const seen = new Set<string>();
    for (let at = 1; ; at += step) {
      const killed = await isKilled(g, action, at);
      seen.add(await state(g));
      if (!killed) {
        expect(at).toBeGreaterThan(3);
        break;
      }
      // The remains do not prevent another attempt.
      const again = openStore(g.home);
      const [left] = await again.list();
      if (action !== "remove") await addTo(again, join(g.root, "s.zip"));
      else if (left) await again.remove(left.id);
      expect(await state(g)).toBe(action === "remove" ? "nothing" : "v2");
      rmSync(g.home, { recursive: true });
      cpSync(kept, g.home, { recursive: true, preserveTimestamps: true });
    }
    expect([...seen].sort()).toEqual(states);
  },
);

it("an add that fails on a full disk reports it, and adds nothing", async () => {
  using g = storeGround();
  await using server = await serveArchives({
    "/s.zip": zipOf({ "SKILL.md": skillOf("pdf"), "long.md": "words\n".repeat(20_000) }),
  });
  server.answers["/long.zip"] = Buffer.alloc(100_000);
  const full = ["sh", "-c", 'ulimit -f 64; exec "$@" 2>&1', "sh"];
  for (const path of ["/s.zip", "/long.zip"]) {
    await using other = await secondProcess(runner, g.root, [g.home, "add", server.origin + path], { through: full });
    let said = "";
    other.child.stdout?.on("data", (words) => {
      said += String(words);
    });
    await once(other.child, "close");
    expect(said).toMatch(/Nothing was installed, since it could not be written to disk: .*EFBIG/);
  }
  expect({ state: await state(g), trees: g.trees().filter((name) => !name.startsWith("staging-")) }).toEqual({
    state: "nothing",
    trees: [],
  });
});
