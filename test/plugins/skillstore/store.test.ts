import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { PlacedSkills } from "../../../plugins/skillstore/contract.ts";
import { type Answer, type ArchiveServer, serveArchives } from "../../archive-server.ts";
import { openStore, reach, type StoreGround, skillOf, storeGround, zipOf } from "../../skill-ground.ts";
import { tar } from "../../tarball.ts";
import { zip } from "../../zip.ts";

async function served(answers: Record<string, Answer>, work: (g: StoreGround, server: ArchiveServer) => Promise<void>) {
  using g = storeGround();
  await using server = await serveArchives(answers);
  await work(g, server);
}

const read = ({ folder }: PlacedSkills, path: string) => fs.readFileSync(join(folder, path), "utf8");
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

describe("skills from an archive", () => {
  it.each<[string, string, Buffer]>([
    ["a zip", "/pdf.zip", zipOf({ "SKILL.md": skillOf("pdf"), "scripts/a.py": "1" })],
    [
      "a tarball",
      "/pdf.tar.gz",
      gzipSync(
        tar([
          { path: "SKILL.md", content: skillOf("pdf") },
          { path: "scripts/a.py", content: "1" },
        ]),
      ),
    ],
    [
      "a tarball by its short name",
      "/pdf.tgz",
      gzipSync(
        tar([
          { path: "SKILL.md", content: skillOf("pdf") },
          { path: "scripts/a.py", content: "1" },
        ]),
      ),
    ],
    [
      "a tar",
      "/pdf.tar",
      tar([
        { path: "SKILL.md", content: skillOf("pdf") },
        { path: "scripts/a.py", content: "1" },
      ]),
    ],
    ["an archive that only its bytes tell", "/pdf", zipOf({ "SKILL.md": skillOf("pdf"), "scripts/a.py": "1" })],
    [
      "a tarball that only its bytes tell",
      "/pdf",
      gzipSync(
        tar([
          { path: "SKILL.md", content: skillOf("pdf") },
          { path: "scripts/a.py", content: "1" },
        ]),
      ),
    ],
  ])("come from %s, on the web and on disk", (_, path, bytes) =>
    served({ [path]: bytes }, async (g, { origin }) => {
      for (const [address, name] of [
        [`${origin}${path}`, "web"],
        [g.file(`disk${path}`, bytes), "disk"],
      ] as const) {
        const placed = await g.add(address, name);
        expect([read(placed, "pdf/SKILL.md"), read(placed, "pdf/scripts/a.py")]).toEqual([skillOf("pdf"), "1"]);
      }
    }),
  );

  it("come from a single SKILL.md, named after its location", () =>
    served({ "/skills/pdf/SKILL.md": Buffer.from(skillOf("pdf")) }, async (g, { origin }) => {
      expect(read(await g.add(`${origin}/skills/pdf/SKILL.md`), "pdf/SKILL.md")).toBe(skillOf("pdf"));
      expect(read(await g.add(g.file("x/skill.md", skillOf("x")), "x"), "x/SKILL.md")).toBe(skillOf("x"));
    }));

  it("come from a folder, except the files of git and npm", async () => {
    using g = storeGround();
    for (const path of ["SKILL.md", "a.md", ".git/config", "node_modules/x/SKILL.md"])
      g.file(`own/${path}`, skillOf("own"));
    const placed = await g.add(dirname(g.file("own/b.md", "b")), "own");
    expect(fs.readdirSync(join(placed.folder, "own")).sort()).toEqual(["SKILL.md", "a.md", "b.md"]);
  });

  it("do not come from a folder that contains the store", async () => {
    using g = storeGround();
    for (const folder of [g.home, g.root])
      await expect(g.add(folder, "own")).rejects.toMatchObject({
        code: "SKILLSTORE_ADDRESS",
        message: expect.stringContaining("pass the folder with the skills themselves"),
      });
  });

  it("are locked by their hashes, and listed without their archive or the network", () =>
    served(
      { "/all.zip": zipOf({ "all/pdf/SKILL.md": skillOf("pdf"), "all/b/skill.md": skillOf("b"), "all/b/x.md": "x" }) },
      async (g, server) => {
        const placed = await g.add(`${server.origin}/all.zip?key=geheim`, "all");
        const sum = expect.stringMatching(/^[\da-f]{64}$/);
        expect(placed).toEqual({
          id: sum,
          name: "all",
          added: true,
          from: `${server.origin}/all.zip?…`,
          isWhole: false,
          sha256: sum,
          tree: sum,
          files: 3,
          bytes: expect.any(Number),
          skills: [
            { path: "all/all/b/skill.md", sha256: sum },
            { path: "all/all/pdf/SKILL.md", sha256: sum },
          ],
          fetchedAt: expect.stringMatching(/Z$/),
          addedAt: expect.stringMatching(/Z$/),
          folder: join(g.home, "archives", placed.tree, "files"),
        });
        const { id, folder: _, ...kept } = placed;
        expect(g.lock()).toEqual({ [id]: kept });
        await server[Symbol.asyncDispose]();
        const everything = fs.readdirSync(g.home, { recursive: true }).map((path) => join(g.home, String(path)));
        for (const path of everything.filter((each) => fs.statSync(each).isFile()))
          expect(fs.readFileSync(path, "utf8")).not.toContain("geheim");
        expect(await openStore(g.home).list()).toEqual([placed]);
        expect(await openStore(g.home).root(`${server.origin}/all.zip?key=geheim`, "/", reach)).toEqual(placed);
        expect(server.heard).toHaveLength(1);
      },
    ));

  it.each<[string, Buffer | number, string]>([
    ["no skill in it", zipOf({ "README.md": "x" }), "SKILLSTORE_NONE"],
    ["a skill that lies too deep", zipOf({ "a/b/c/d/e/f/g/SKILL.md": skillOf("x") }), "SKILLSTORE_NONE"],
    [
      "skills without end",
      zipOf(Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`${index}/SKILL.md`, "x"]))),
      "SKILLSTORE_MANY",
    ],
    ["a web page", Buffer.from("<!doctype html>"), "ARCHIVE_FORMAT"],
    ["a link", zip([{ path: "SKILL.md", content: "/etc/passwd", mode: 0o120777 }]), "ARCHIVE_ENTRY"],
    ["a way out", zipOf({ "../../SKILL.md": skillOf("x") }), "ARCHIVE_ENTRY"],
    ["an error", 500, "SKILLSTORE_FETCH"],
  ])("are refused for %s, and leave no files behind", (_, answer, code) =>
    served({ "/x.zip": answer }, async (g, { origin }) => {
      expect(await codeOf(g.add(`${origin}/x.zip`))).toBe(code);
      expect({ trees: g.trees(), lock: fs.existsSync(join(g.home, "skills.lock.json")) }).toEqual({
        trees: [],
        lock: false,
      });
    }),
  );

  it.each([
    ["what is neither an archive nor a SKILL.md", "x.bin", "SKILLSTORE_ADDRESS"],
    ["nothing", "missing.zip", "SKILLSTORE_ADDRESS"],
    ["a device", "/dev/zero", "SKILLSTORE_ADDRESS"],
  ])("do not come from %s", async (_, path, code) => {
    using g = storeGround();
    g.file("x.bin", "some words");
    expect(await codeOf(g.add(resolve(g.root, path)))).toBe(code);
    expect(g.trees()).toEqual([]);
  });
});

describe("an update", () => {
  const [v1, v2] = [
    zipOf({ "SKILL.md": skillOf("pdf"), "old.md": "x", "same.md": "x" }),
    zipOf({ "SKILL.md": skillOf("pdf", " Twice."), "new.md": "x", "same.md": "x" }),
  ];

  it("lists the changes, and applies them in one step", () =>
    served({ "/pdf.zip": v1 }, async (g, server) => {
      const before = await g.add(`${server.origin}/pdf.zip`);
      server.answers["/pdf.zip"] = v2;
      const staged = await g.store.stage(`${server.origin}/pdf.zip`, "/", reach);
      expect({ changes: staged.changes, before: staged.before, isIntact: staged.isIntact }).toEqual({
        changes: [
          { path: "pdf/SKILL.md", how: "changed", diff: "-Do it.\n+Do it. Twice." },
          { path: "pdf/new.md", how: "added" },
          { path: "pdf/old.md", how: "removed" },
        ],
        before,
        isIntact: true,
      });
      expect(await g.store.list()).toEqual([before]);
      const after = await staged.install({ name: "pdf", added: true });
      staged.discard();
      expect(read(after, "pdf/SKILL.md")).toContain("Twice.");
      // The old files are kept for sessions that are reading them.
      expect(read(before, "pdf/SKILL.md")).toBe(skillOf("pdf"));
      expect(g.trees().sort()).toEqual([before.tree, after.tree].sort());
    }));

  it("keeps the installed version when it fails", () =>
    served({ "/pdf.zip": v1 }, async (g, server) => {
      const before = await g.add(`${server.origin}/pdf.zip`);
      for (const answer of [503, v2.subarray(0, 99)]) {
        server.answers["/pdf.zip"] = answer;
        expect(await codeOf(g.store.stage(`${server.origin}/pdf.zip`, "/", reach))).toMatch(
          /^SKILLSTORE_FETCH|^ARCHIVE_DAMAGED/,
        );
        expect(await g.store.list()).toEqual([before]);
      }
      expect(g.trees()).toEqual([before.tree]);
    }));

  it.each<[string, (placed: PlacedSkills) => void]>([
    ["a file was changed", ({ folder }) => fs.appendFileSync(join(folder, "pdf/same.md"), "!")],
    ["a file was added", ({ folder }) => fs.writeFileSync(join(folder, "pdf/evil.md"), "!")],
    ["a file is gone", ({ folder }) => fs.rmSync(join(folder, "pdf/same.md"))],
    ["its sums were changed, too", ({ folder }) => fs.writeFileSync(join(folder, "../sums.json"), "{}")],
    ["all of it is gone", ({ folder }) => fs.rmSync(dirname(folder), { recursive: true })],
  ])("repairs the installed version when %s", (_, spoil) =>
    served({ "/pdf.zip": v1 }, async (g, { origin }) => {
      const before = await g.add(`${origin}/pdf.zip`);
      spoil(before);
      const staged = await g.store.stage(`${origin}/pdf.zip`, "/", reach);
      expect(staged.isIntact).toBe(false);
      await staged.install({ name: "pdf", added: true });
      staged.discard();
      const again = await g.store.stage(`${origin}/pdf.zip`, "/", reach);
      expect({ isIntact: again.isIntact, changes: again.changes }).toEqual({ isIntact: true, changes: [] });
      again.discard();
      expect(g.trees()).toEqual([before.tree]);
    }),
  );

  it("is not reverted by an update that began earlier", () =>
    served({ "/pdf.zip": v1 }, async (g, { origin }) => {
      await g.add(`${origin}/pdf.zip`);
      const [one, two] = [
        await g.store.stage(`${origin}/pdf.zip`, "/", reach),
        await openStore(g.home).stage(`${origin}/pdf.zip`, "/", reach),
      ];
      await one.install({ name: "pdf", added: true });
      expect(await codeOf(two.install({ name: "pdf", added: true }))).toBe("SKILLSTORE_TAKEN");
      for (const each of [one, two]) each.discard();
    }));
});

describe("the store", () => {
  const skill = zipOf({ "SKILL.md": skillOf("pdf") });

  it("accepts one of two concurrent adds, or both under two names", () =>
    served({ "/a.zip": skill, "/b.zip": zipOf({ "SKILL.md": skillOf("b") }) }, async (g, { origin }) => {
      const wanted = [
        ["/a.zip", "a"],
        ["/a.zip", "a"],
        ["/b.zip", "b"],
      ] as const;
      const staged = await Promise.all(wanted.map(([path]) => openStore(g.home).stage(origin + path, "/", reach)));
      const codes = await Promise.all(
        staged.map((each, index) => codeOf(each.install({ name: wanted[index]?.[1] as string, added: true }))),
      );
      for (const each of staged) each.discard();
      expect(codes.sort()).toEqual(["SKILLSTORE_TAKEN", "done", "done"]);
      expect((await g.store.list()).map(({ name }) => name)).toEqual(["a", "b"]);
      expect(g.trees()).toHaveLength(2);
    }));

  it("gives each name once", () =>
    served({ "/a.zip": skill, "/b.zip": skill }, async (g, { origin }) => {
      await g.add(`${origin}/a.zip`, "one");
      expect(await codeOf(g.add(`${origin}/b.zip`, "one"))).toBe("SKILLSTORE_TAKEN");
      await g.add(`${origin}/b.zip`, "two");
    }));

  it("fetches a root once for all callers, and does not retry a failed one soon", () =>
    served({ "/a.zip": skill, "/x/a.zip": skill }, async (g, server) => {
      const root = (path = "/a.zip") => g.store.root(`${server.origin}${path}`, "/", reach);
      const [one, two] = await Promise.all([root(), root()]);
      expect([one, await openStore(g.home).root(`${server.origin}/a.zip`, "/", reach)]).toEqual([two, one]);
      expect(one).toMatchObject({ name: "a", added: false });
      expect(await root("/x/a.zip")).toMatchObject({ name: "a-2" });
      for (let times = 0; times < 2; times++) expect(await codeOf(root("/none.zip"))).toBe("SKILLSTORE_FETCH");
      expect(server.heard.map(({ line }) => line.split(" ")[1])).toEqual(["/a.zip", "/x/a.zip", "/none.zip"]);
    }));

  it("continues to fetch a root for others when the first caller cancels", () =>
    served({}, async (g, server) => {
      const begun = new Promise<void>((resolve) => {
        server.answers["/a.zip"] = () => resolve();
      });
      const leaving = new AbortController();
      const address = `${server.origin}/a.zip`;
      const first = codeOf(g.store.root(address, "/", { ...reach, signal: leaving.signal }));
      await begun;
      const second = g.store.root(address, "/", reach);
      server.answers["/a.zip"] = skill;
      leaving.abort();
      expect(await first).toBe("SKILLSTORE_FETCH");
      expect(await second).toMatchObject({ name: "a" });
    }));

  it("detects that a local archive was replaced", async () => {
    using g = storeGround();
    const file = g.file("a.zip", skill);
    expect(await g.add(file)).not.toHaveProperty("isStale");
    fs.appendFileSync(file, "!");
    expect((await openStore(g.home).list()).map(({ isStale }) => isStale)).toEqual([true]);
    fs.rmSync(file);
    expect((await g.store.list()).map(({ isStale }) => isStale)).toEqual([true]);
  });

  it("lists all skills when the place of a local archive can no longer be examined", async () => {
    using g = storeGround();
    const file = g.file("a.zip", skill);
    await g.add(file, "a");
    await g.add(g.file("b.zip", zipOf({ "SKILL.md": skillOf("b") })), "b");
    fs.rmSync(file);
    fs.symlinkSync(file, file);
    expect((await g.store.list()).map(({ name, isStale }) => [name, isStale])).toEqual([
      ["a", true],
      ["b", undefined],
    ]);
  });

  it("removes the given skills and leftover folders", () =>
    served({ "/a.zip": skill, "/b.zip": skill }, async (g, { origin }) => {
      const [a, b] = [await g.add(`${origin}/a.zip`, "a"), await g.add(`${origin}/b.zip`, "b")];
      expect(a.tree).not.toBe(b.tree);
      expect(await g.store.remove(a.id)).toBe(true);
      expect(await g.store.remove(a.id)).toBe(false);
      expect(g.trees()).toEqual([b.tree]);
      const old = join(g.home, "archives", "0".repeat(64));
      const dead = join(g.home, "archives", "staging-999999999-00000000-x");
      for (const folder of [old, dead]) {
        fs.mkdirSync(folder);
        fs.utimesSync(folder, 0, 0);
      }
      await g.add(`${origin}/a.zip`, "a");
      expect(g.trees().sort()).toEqual([a.tree, b.tree].sort());
    }));

  it("reports that its folder is not writable", async () => {
    using g = storeGround();
    g.file(".scorel/archives", "a file");
    expect(await codeOf(g.add(g.file("a.zip", skill)))).toBe("SKILLSTORE_DISK");
  });

  it.each<[string, (path: string) => void]>([
    ["is damaged", (path) => fs.writeFileSync(path, "{", { mode: 0o600 })],
    ["is something else", (path) => fs.writeFileSync(path, '{"version":1,"sources":{"x":{}}}', { mode: 0o600 })],
    [
      "leads out of the store",
      (path) =>
        fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace(/"path": "[^"]*"/, '"path": "../../x/SKILL.md"')),
    ],
    ["is a link", (path) => fs.renameSync(path, `${path}.x`) ?? fs.symlinkSync(`${path}.x`, path)],
    ["can be written by others", (path) => fs.chmodSync(path, 0o666)],
  ])("uses nothing and reports it when its lock file %s", (_, spoil) =>
    served({ "/a.zip": skill }, async (g, { origin }) => {
      await g.add(`${origin}/a.zip`);
      spoil(join(g.home, "skills.lock.json"));
      expect(await codeOf(openStore(g.home).list())).toBe("SKILLSTORE_LOCK");
    }),
  );
});
