import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ArchiveServer, serveArchives } from "../archive-server.ts";
import { fixture, startProxy } from "../proxy.ts";
import { skillOf, zipOf } from "../skill-ground.ts";
import { type Scratch, scratch } from "./scorel.ts";

const pdf = { "SKILL.md": skillOf("pdf"), "how.md": "How\n", "scripts/fill.py": "print(1)\n" };

async function withServer(work: (s: Scratch, server: ArchiveServer) => Promise<void>): Promise<void> {
  using s = scratch({ inProcess: true });
  await using server = await serveArchives({ "/pdf.zip": zipOf(pdf) });
  s.file("~/.scorel/config.toml", '[skills]\nallowHosts = ["127.0.0.1"]\n');
  await work(s, server);
}

describe("scorel skill", () => {
  it("add shows what it would add, asks, and installs it; it then works without network", () =>
    withServer(async (s, server) => {
      s.file("~/.claude/skills/how/SKILL.md", skillOf("how"));
      server.answers["/x"] = { to: "/pdf.zip" };
      const shown = [
        `Add "pdf" from ${server.origin}/x?…`,
        expect.stringMatching(/^ {2}1 skill, 3 files, \d+ bytes, sha256 [\da-f]{64}$/),
        "  pdf: All of pdf",
        "    can be run: scripts/fill.py (9 bytes)",
        "    to be read: how.md (4 bytes)",
        '    SKILL.md:2: name "pdf" differs from the name of its folder, x',
      ];
      const command = ["skill", "add", `${server.origin}/x?key=geheim`];
      const asked = await s.run(command);
      expect({ ...asked, stdout: asked.stdout.trimEnd().split("\n") }).toMatchObject({ code: 2, stdout: shown });
      expect(asked.stderr).toContain(`To install what is shown above: scorel skill add '${server.origin}/x?…' --yes`);
      expect(existsSync(join(s.home, ".scorel/skills.lock.json"))).toBe(false);
      const added = await s.run([...command, "--yes"]);
      expect({ ...added, stdout: added.stdout.trimEnd().split("\n") }).toMatchObject({
        code: 0,
        stdout: [...shown, 'Added "pdf": pdf.'],
        stderr: "",
      });
      const heard = server.heard.length;
      expect((await s.run(["skill", "list"])).stdout).toContain(`user     All of pdf  (from ${server.origin}/x?…)\n`);
      expect((await s.run(["skill", "show", "pdf"])).stdout).toContain(`from    ${server.origin}/x?…, added as pdf`);
      expect(await s.run([...command, "--yes"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is already installed as "pdf"'),
      });
      expect(await s.run(["skill", "update", "pdf"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("with a query, which is not stored"),
      });
      expect(server.heard).toHaveLength(heard);
    }));

  it("update shows what changed and installs it; what cannot be downloaded stays unchanged", () =>
    withServer(async (s, server) => {
      const address = `${server.origin}/pdf.zip`;
      await s.run(["skill", "add", address, "--yes"]);
      expect(await s.run(["skill", "update", "--yes"])).toMatchObject({
        code: 0,
        stdout: '"pdf" is up to date; nothing was changed.\n',
      });
      const next = { ...pdf, "SKILL.md": skillOf("pdf").replace("All of", "Reads"), "scripts/more.sh": "true\n" };
      server.answers["/pdf.zip"] = zipOf(next);
      const changed = await s.run(["skill", "update", "pdf", "--yes"]);
      expect(changed).toMatchObject({ code: 0, stderr: "" });
      expect(changed.stdout.split("\n")).toEqual(
        expect.arrayContaining([
          `Update "pdf" from ${address}`,
          "  description of pdf, before: All of pdf",
          "  and now: Reads pdf",
          "  changed  pdf/SKILL.md",
          "    -description: All of pdf",
          "    +description: Reads pdf",
          "  added    pdf/scripts/more.sh",
          'Updated "pdf".',
        ]),
      );
      server.answers["/pdf.zip"] = 503;
      const failed = await s.run(["skill", "update"]);
      expect(failed).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(
          `"pdf" was not changed: ${address} could not be fetched: ${server.host} answered 503.`,
        ),
      });
      expect((await s.run(["skill", "list"])).stdout).toContain("Reads pdf");
    }));

  it("add and update tell which of several skills with the same name is used, and it is used", () =>
    withServer(async (s, server) => {
      const add = async (name: string, path: string, skill: string) => {
        server.answers[path] = zipOf({ [`${skill}/SKILL.md`]: skillOf(skill, ` By ${name}.`) });
        const { stdout } = await s.run(["skill", "add", server.origin + path, "--name", name, "--yes"]);
        return stdout.split("\n").filter((line) => line.includes("the name is taken"));
      };
      const by = async (skill: string) => (await s.run(["skill", "show", skill])).stdout.match(/ By (\w+)\./)?.[1];
      expect(await add("z", "/z.zip", "words")).toEqual([]);
      // With a letter that looks like another one, so that people would mistake one name for the other.
      expect(await add("a", "/a.zip", "words")).toEqual([
        `    the name is taken: user, ${server.origin}/z.zip; that one takes precedence`,
      ]);
      expect(await add("b", "/b.zip", "wоrds")).toEqual([
        `    the name is taken: user, ${server.origin}/z.zip; that one takes precedence`,
      ]);
      expect(await by("words")).toBe("z");
      // An update of the first archive adds a name that the second one has.
      await add("later", "/later.zip", "other");
      server.answers["/z.zip"] = zipOf({ "other/SKILL.md": skillOf("other", " By z.") });
      expect((await s.run(["skill", "update", "z", "--yes"])).stdout).toContain(
        `    the name is taken: user, ${server.origin}/later.zip; from then on this one takes precedence\n`,
      );
      expect([await by("other"), await by("words")]).toEqual(["z", "a"]);
    }));

  it("remove removes an archive, and tells which skill has the name from then on", () =>
    withServer(async (s, server) => {
      server.answers["/two.zip"] = zipOf({
        "git-commit/SKILL.md": skillOf("git-commit"),
        "b/SKILL.md": skillOf("b"),
        LICENSE: "MIT",
      });
      const added = await s.run(["skill", "add", `${server.origin}/two.zip`, "--yes"]);
      expect(added.stdout).toMatch(/the name is taken: shipped, .*; from then on this one takes precedence/);
      expect(added.stdout).toContain("  in no skill: two/LICENSE (3 bytes)\n");
      const remove = (name: string) => s.run(["skill", "remove", name]);
      expect(await remove("git-commit")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was installed with 1 more from"),
      });
      expect(await remove("two")).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^Removed "two", which came from .*two\.zip\.\n"git-commit" is still there: shipped, .*\.\n$/,
        ),
      });
      expect(await remove("git-commit")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /"git-commit" was not installed by `scorel skill add` \(shipped, .*\)\. To disable it, list it in "disabled"/,
        ),
      });
      expect(await remove("nothing")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("To add skills: scorel skill add <source>"),
      });
    }));

  it("add accepts a folder, and releases an archive that contains no skill or belongs to another source", () =>
    withServer(async (s, server) => {
      s.file("mine/SKILL.md", skillOf("mine"));
      expect(await s.run(["skill", "add", "./mine", "--yes"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Added "mine": mine.'),
      });
      s.file("mine/more.md", "More");
      expect(await s.run(["skill", "update", "mine", "--yes"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("added    mine/more.md"),
      });
      const refused = await s.run(["skill", "add", "https://localhost/x.zip", "--yes"]);
      expect(refused).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/(127\.0\.0\.1|::1) is an address of this machine or of a private network/),
      });
      const taken = await s.run(["skill", "add", `${server.origin}/pdf.zip`, "--name", "mine", "--yes"]);
      expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("it is already used for") });
    }));
});

it("a certificate signed by the user's own authority is accepted, also behind a proxy", async () => {
  using s = scratch();
  const [key, cert] = [fixture("tls/archives.key.pem"), fixture("tls/archives.cert.pem")];
  const tls = { key: readFileSync(key), cert: readFileSync(cert) };
  await using server = await serveArchives({ "/pdf.zip": zipOf(pdf) }, tls);
  const port = server.host.split(":")[1];
  s.file("~/.scorel/config.toml", '[skills]\nallowHosts = ["localhost", "skills.example"]\n');
  const add = (address: string, env = {}) => s.run(["skill", "add", address, "--yes"], { env });
  const address = `https://localhost:${port}/pdf.zip`;
  expect(await add(address)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the server cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)"),
  });
  const trusting = { NODE_EXTRA_CA_CERTS: cert };
  expect(await add(address, trusting)).toMatchObject({ code: 0, stdout: expect.stringContaining('Added "pdf": pdf.') });
  await using proxy = await startProxy(Number(port));
  const behind = await add("https://skills.example/pdf.zip", { ...trusting, HTTPS_PROXY: `http://${proxy.address}` });
  expect(behind).toMatchObject({ code: 2, stderr: expect.stringContaining(`it is already used for ${address}`) });
  expect(proxy.heard).toEqual([expect.stringContaining("CONNECT skills.example:443")]);
});

it("a project's archives are downloaded when it is trusted, and not before", () =>
  withServer(async (s, server) => {
    s.file(".scorel/config.toml", `[skills]\nroots = ["${server.origin}/pdf.zip"]\nallowHosts = ["127.0.0.1"]\n`);
    writeFileSync(join(s.home, ".scorel/config.toml"), "");
    expect((await s.run(["skill", "list"])).stdout).not.toContain("All of pdf");
    expect(server.heard).toEqual([]);
    const asked = await s.run(["trust", "add"]);
    expect(asked.stdout).toContain("fetched over http:// or from your private network");
    expect((await s.run(["skill", "list", "--trust"])).stdout).toMatch(/configured +All of pdf {2}\(from http/);
    expect(server.heard).toHaveLength(1);
    expect(await s.run(["skill", "remove", "pdf", "--trust"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Remove it from there."),
    });
    // Archives that were downloaded for one project are not used by others.
    expect((await s.run(["skill", "list"], { cwd: s.home })).stdout).not.toContain("All of pdf");
  }));
