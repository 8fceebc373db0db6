import * as fs from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../../plugins/skillstore/address.ts";
import { type ArchiveServer, serveArchives } from "../../archive-server.ts";
import { reach, type StoreGround, skillOf, storeGround } from "../../skill-ground.ts";
import { tar } from "../../tarball.ts";

/** An archive as hosting sites make it: a single folder that is named after the commit. */
const packed = (commit: string, files: Record<string, string>) =>
  gzipSync(tar(Object.entries(files).map(([path, content]) => ({ path: `skills-${commit}/${path}`, content }))));
const marketplace = {
  plugins: [
    { name: "docs", source: "./plugins/documents" },
    { name: "out", source: "../../etc" },
    { name: "far", source: { source: "github", repo: "else/where" } },
    { source: "./plugins/nameless" },
    7,
  ],
};
const files = {
  ".claude-plugin/marketplace.json": JSON.stringify(marketplace),
  "plugins/documents/skills/pdf/SKILL.md": skillOf("pdf"),
  "plugins/documents/hooks/run.sh": "touch /tmp/never",
  "plugins/other/skills/web/SKILL.md": skillOf("web"),
};

async function served(work: (g: StoreGround, server: ArchiveServer) => Promise<void>) {
  using g = storeGround();
  await using server = await serveArchives({ "/team/skills/archive/HEAD.tar.gz": packed("abc", files) });
  await work(g, server);
}
const paths = (folder: string) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : []));
const refusal = (given: string, base = "/") => {
  try {
    return addressOf(given, base).url.href;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

describe("the address of a repository", () => {
  it.each([
    ["anthropics/skills", "https://github.com/anthropics/skills/archive/HEAD.tar.gz"],
    ["anthropics/skills.git@v1.2#document/pdf", "https://github.com/anthropics/skills/archive/v1.2.tar.gz"],
    ["git+https://codeberg.org/o/r#a", "https://codeberg.org/o/r/archive/HEAD.tar.gz"],
    ["git+https://gitlab.com/group/sub/r.git@main", "https://gitlab.com/group/sub/r/-/archive/main/r.tar.gz"],
    ["https://example.com/a.zip", "https://example.com/a.zip"],
    ["./o/r", "file:///o/r"],
    ["a/b/c", "file:///a/b/c"],
    ["git+ssh://git@example.com/o/r", "SKILLSTORE_ADDRESS"],
    ["git+https://me:secret@example.com/o/r", "SKILLSTORE_ADDRESS"],
    ["git+https://me:4711@example.com/o/r", "SKILLSTORE_ADDRESS"],
    ["git+https://token@example.com/o/r", "SKILLSTORE_ADDRESS"],
    ["git+https://example.com/o/r?token=secret", "SKILLSTORE_ADDRESS"],
    ["o/r#../../etc", "SKILLSTORE_ADDRESS"],
    ["o/r@../../x", "SKILLSTORE_ADDRESS"],
  ])("%s leads to %s", (given, url) => expect(refusal(given)).toBe(url));

  it("is a path if one exists, and can be parsed again", () => {
    using g = storeGround();
    g.file("o/r/SKILL.md", skillOf("r"));
    expect(refusal("o/r", g.root)).toBe(`file://${g.root}/o/r`);
    const { shown, id } = addressOf("o/r@main#a/b", "/");
    expect([shown, addressOf(shown, g.root).id]).toEqual(["git+https://github.com/o/r@main#a/b", id]);
  });
});

describe("skills from a repository", () => {
  it("are found in the folders of its plugins for any commit, without running anything", () =>
    served(async (g, server) => {
      const address = `git+${server.origin}/team/skills`;
      const placed = await g.add(address, "team");
      expect([placed.from, paths(placed.folder).sort()]).toEqual([
        address,
        Object.keys(files)
          .map((path) => `skills/${path}`)
          .sort(),
      ]);
      server.answers["/team/skills/archive/HEAD.tar.gz"] = packed("def", { ...files, "README.md": "New" });
      const staged = await g.store.stage(placed.from, "/", reach);
      expect([staged.changes, staged.elsewhere]).toEqual([
        [{ path: "skills/README.md", how: "added" }],
        [
          { name: "out", from: "../../etc, which is not below the marketplace" },
          { name: "far", from: "else/where" },
        ],
      ]);
      staged.discard();
      expect(server.heard.map(({ line }) => line)).toEqual(
        Array(2).fill(`${server.host} /team/skills/archive/HEAD.tar.gz`),
      );
    }));

  it.each(["docs", "plugins/documents", "./plugins/documents/"])("can be limited to a part of it: %s", (part) =>
    served(async (g, { origin }) => {
      const { folder } = await g.add(`git+${origin}/team/skills#${part}`, "part");
      expect(
        paths(folder)
          .map((path) => path.replace(/^[^/]+\//, ""))
          .sort(),
      ).toEqual(["hooks/run.sh", "skills/pdf/SKILL.md"]);
    }),
  );

  it.each(["none", "out", "far", "plugins/other/skills/web/SKILL.md"])(
    "are refused for a part that does not exist: %s",
    (part) =>
      served(async (g, { origin }) => {
        await expect(g.add(`git+${origin}/team/skills#${part}`)).rejects.toMatchObject({ code: "SKILLSTORE_ADDRESS" });
        expect(g.trees()).toEqual([]);
      }),
  );

  it("are fetched from allowed hosts only, like all addresses", () =>
    served(async (g, { origin }) => {
      const asked = g.store.stage(`git+${origin}/team/skills`, "/", { ...reach, allowHosts: [] });
      await expect(asked).rejects.toMatchObject({ code: "SKILLSTORE_HOST" });
    }));

  it("names the other places if it only lists plugins from there", () =>
    served(async (g, server) => {
      const only = { ".claude-plugin/marketplace.json": files[".claude-plugin/marketplace.json"] };
      server.answers["/team/skills/archive/HEAD.tar.gz"] = packed("abc", only);
      await expect(g.add(`git+${server.origin}/team/skills`)).rejects.toThrow(
        "lists plugins from other places: docs (./plugins/documents, a folder that is missing), out (../../etc, which is not below the marketplace), far (else/where).",
      );
    }));
});
