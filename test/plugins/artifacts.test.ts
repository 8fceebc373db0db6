import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import artifacts from "@scorel/artifacts";
import type { ArtifactContent, ArtifactsService, LineageTree, SessionArtifacts } from "@scorel/artifacts/contract";
import blobs from "@scorel/blobs";
import { describe, expect, it } from "vitest";
import { testHome, testHost } from "./host/home.ts";
import { opener } from "./host/opener.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const text = (name: string, content: string, more: Partial<ArtifactContent> = {}): ArtifactContent => ({
  name,
  content: Buffer.from(content),
  mimeType: "text/plain",
  ...more,
});
const version = (name: string, number: number, content: string) => ({
  name,
  version: number,
  sha256: hash(content),
  size: content.length,
  mimeType: "text/plain",
  savedAt: expect.any(Number),
});

/** A home with sessions, whose artifacts the test accesses as a plugin does. */
async function open() {
  const home = testHome();
  const host = await testHost([], [], [blobs, artifacts, opener]);
  const service = host.kernel.find("artifacts") as ArtifactsService;
  const session = async (): Promise<{ id: string; of: () => Promise<SessionArtifacts> }> => {
    const { sessionId } = await host.client.request("create_session", { cwd: home.home });
    const of = async () => {
      const { kernel } = await host.client.request("kernel_of", { sessionId });
      return service.of(kernel.session);
    };
    return { id: sessionId, of };
  };
  return {
    session,
    client: host.client,
    path: (name: string) => join(home.home, ".scorel", name),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

describe("an artifact", () => {
  it("has versions, numbered from 0, of which the latest is the default", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    expect(own.load("out/a.txt")).toBeUndefined();
    expect(await own.save(text("out/a.txt", "one"))).toEqual(version("out/a.txt", 0, "one"));
    expect(await own.save(text("out/a.txt", "two"))).toEqual(version("out/a.txt", 1, "two"));
    await own.save(text("b.txt", "one"));
    expect(own.list()).toEqual([version("b.txt", 0, "one"), version("out/a.txt", 1, "two")]);
    expect(own.versions("out/a.txt").map((each) => each.version)).toEqual([0, 1]);
    expect(own.load("out/a.txt")).toEqual({ ...version("out/a.txt", 1, "two"), content: Buffer.from("two") });
    expect(own.load("out/a.txt", 0)?.content.toString()).toBe("one");
    expect(() => own.load("out/a.txt", 2)).toThrow("version 2 does not exist: out/a.txt has the versions 0 to 1.");
  });

  it("gets a unique version number, however many are saved at once", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    const saved = await Promise.all(Array.from({ length: 20 }, (_, at) => own.save(text("a", `content ${at}`))));
    expect(saved.map((each) => [each.version, each.sha256])).toEqual(
      Array.from({ length: 20 }, (_, at) => [at, hash(`content ${at}`)]),
    );
  });

  it("that is removed loses all its versions", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await own.save(text("a", "one"));
    expect([await own.remove("a"), await own.remove("a"), own.list(), own.load("a")]).toEqual([
      true,
      false,
      [],
      undefined,
    ]);
    expect((await own.save(text("a", "two"))).version).toBe(1);
    expect(own.versions("a").map((each) => each.version)).toEqual([1]);
  });

  it("records what it was made from", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    const lineage = { by: "skills", skill: { name: "math", digest: hash("math") }, command: "fib 10", inputs: [] };
    await own.save(text("fib.txt", "55", { lineage }));
    expect(own.list()[0]?.lineage).toEqual(lineage);
  });

  it("is stored once for all with the same content", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await Promise.all([own.save(text("a", "same")), own.save(text("b", "same"))]);
    expect(fs.readdirSync(t.path(`blobs/${hash("same").slice(0, 2)}`))).toEqual([hash("same")]);
  });

  it.each(["", "user:", " a", "a\n", "a\0b", "a\u202eb", "x".repeat(513), "a@1", "user:a@07"])(
    "cannot be named %j",
    async (name) => {
      await using t = await open();
      const own = await (await t.session()).of();
      await expect(own.save(text(name, "one"))).rejects.toMatchObject({ code: "ARTIFACT_NAME" });
      expect(own.list()).toEqual([]);
    },
  );

  it("has a name that is only a label: letters are compared as people read them, and it is never used as a path", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    const [composed, apart] = ["caf\u00e9", "cafe\u0301"];
    await own.save(text(apart, "one"));
    expect(await own.save(text(composed, "two"))).toEqual(version(composed, 1, "two"));
    expect([own.load(apart, 0)?.content.toString(), own.versions(apart).length]).toEqual(["one", 2]);
    for (const name of ["../../escape", "..", "/etc/passwd", "A", "a", "a@b", "a@1.txt", "user:..", "con", "a\\b"])
      expect((await own.save(text(name, name))).version).toBe(0);
    expect(own.load("A")?.content.toString()).toBe("A");
    expect(
      fs.readdirSync(t.path("."), { recursive: true }).filter((name) => /escape|passwd|^con$/.test(String(name))),
    ).toEqual([]);
    await own.remove(apart);
    expect(own.load(composed)).toBeUndefined();
  });

  it("tells which versions exist when the requested one was removed", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await own.save(text("a", "one"));
    await own.remove("a");
    await own.save(text("a", "two"));
    expect(() => own.load("a", 0)).toThrow("version 0 does not exist: a has version 1.");
  });

  it("with lost or damaged bytes is never returned partially", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await own.save(text("a", "one"));
    const blob = t.path(`blobs/${hash("one").slice(0, 2)}/${hash("one")}`);
    fs.writeFileSync(blob, "two");
    expect(() => own.load("a")).toThrow(expect.objectContaining({ code: "BLOB_DAMAGED" }));
    fs.rmSync(blob);
    expect(() => own.load("a")).toThrow(expect.objectContaining({ code: "ARTIFACT_LOST" }));
  });
});

describe("a session", () => {
  it("has its own artifacts, which are the same after it is reopened", async () => {
    await using t = await open();
    const [one, two] = [await t.session(), await t.session()];
    await (await one.of()).save(text("a", "one"));
    expect((await two.of()).list()).toEqual([]);
    await t.client.request("reload_session", { sessionId: one.id });
    expect((await one.of()).list()).toEqual([version("a", 0, "one")]);
  });

  it("shares the user's artifacts with all others, and logs those that it saved", async () => {
    await using t = await open();
    const [one, two] = [await t.session(), await t.session()];
    const [first, second] = [await one.of(), await two.of()];
    await Promise.all(
      Array.from({ length: 6 }, (_, at) => (at % 2 ? first : second).save(text("user:a", `content ${at}`))),
    );
    expect(first.versions("user:a").map((each) => each.version)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(second.versions("user:a")).toEqual(first.versions("user:a"));
    expect(await second.remove("user:a")).toBe(true);
    expect(first.list()).toEqual([]);
    expect((await first.save(text("user:a", "again"))).version).toBe(6);
  });

  it("leaves an unreadable list of the user's artifacts unchanged", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await own.save(text("user:a", "one"));
    fs.writeFileSync(t.path("artifacts/user.json"), '{"version":1,"entries":[{"name":1}]}');
    await expect(own.save(text("user:a", "two"))).rejects.toMatchObject({ code: "ARTIFACT_FILE" });
    expect(() => own.list()).toThrow(expect.objectContaining({ code: "ARTIFACT_FILE" }));
    expect(fs.readFileSync(t.path("artifacts/user.json"), "utf8")).toBe('{"version":1,"entries":[{"name":1}]}');
  });
});

describe("a purge of blobs", () => {
  it("keeps the bytes of artifacts, including the user's", async () => {
    await using t = await open();
    const own = await (await t.session()).of();
    await own.save(text("a", "one"));
    await own.save(text("user:b", "two"));
    const blobsAt = (content: string) => t.path(`blobs/${hash(content).slice(0, 2)}/${hash(content)}`);
    const log = fs.readdirSync(t.path("sessions")).find((name) => name.endsWith(".jsonl")) as string;
    fs.rmSync(t.path(`sessions/${log}`));
    const old = new Date(Date.now() - 5 * 60 * 60 * 1000);
    for (const name of fs.readdirSync(t.path("sessions")))
      fs.utimesSync(t.path(`sessions/${name}`), new Date(), new Date());
    for (const content of ["one", "two"]) fs.utimesSync(blobsAt(content), old, old);
    expect(await t.client.request("purge_blobs", {})).toMatchObject({ removed: 1 });
    expect([fs.existsSync(blobsAt("one")), fs.existsSync(blobsAt("two"))]).toEqual([false, true]);
  });
});

describe("a lineage", () => {
  it("is finite, whatever a log contains", async () => {
    await using t = await open();
    const one = await t.session();
    const own = await one.of();
    const from = (name: string, content: string) => ({
      by: "me",
      inputs: [{ from: `artifact://${name}`, to: "work/x", sha256: hash(content), artifact: name, version: 0 }],
    });
    await own.save(text("a", "one", { lineage: from("b", "two") }));
    await own.save(text("b", "two", { lineage: from("a", "one") }));
    const tree = await t.client.request("get_lineage", { sessionId: one.id, name: "a" });
    const names = (at: LineageTree): unknown[] => [
      at.artifact.name,
      ...at.inputs.map((each) => each.made && names(each.made)),
    ];
    expect(names(tree)).toEqual(["a", ["b", ["a"]]]);
    expect(tree.inputs[0]?.made?.inputs[0]?.made?.again).toBe(true);
  });

  it("stays small if many artifacts were made from the same one", async () => {
    await using t = await open();
    const one = await t.session();
    const own = await one.of();
    const from = (at: number) => ({
      by: "me",
      inputs: [0, 1].map((to) => ({
        ...{ from: `artifact://${at}`, to: `work/${to}`, sha256: hash(String(at)), artifact: String(at), version: 0 },
      })),
    });
    for (let at = 0; at < 30; at++) await own.save(text(String(at), String(at), { lineage: from(at - 1) }));
    const tree = await t.client.request("get_lineage", { sessionId: one.id, name: "29" });
    expect(JSON.stringify(tree).length).toBeLessThan(100_000);
  });

  it("takes little time beside thousands of the user's artifacts", async () => {
    await using t = await open();
    const saved = { version: 0, size: 1, mimeType: "text/plain", savedAt: 1 };
    const sources = Array.from({ length: 4_000 }, (_, at) => ({ ...saved, name: `user:${at}`, sha256: hash(`${at}`) }));
    const inputs = sources.map(({ name, sha256 }) => ({ from: name, to: name, sha256, artifact: name, version: 0 }));
    const made = { ...saved, name: "user:all", sha256: hash("all"), savedAt: 2, lineage: { by: "me", inputs } };
    fs.mkdirSync(t.path("artifacts"), { recursive: true });
    fs.writeFileSync(t.path("artifacts/user.json"), JSON.stringify({ version: 1, entries: [...sources, made] }));
    const tree = await t.client.request("get_lineage", { sessionId: (await t.session()).id, name: "user:all" });
    expect(tree.inputs.map((input) => input.made?.artifact)).toEqual(sources);
  });

  it("is cut where thousands of versions were each made from the one before", async () => {
    await using t = await open();
    const name = "user:a";
    const made = (version: number) => ({
      ...{ name, version, sha256: hash(String(version)), size: 1, mimeType: "text/plain", savedAt: version },
      lineage: {
        by: "me",
        inputs: [{ from: name, to: "a", sha256: hash(String(version - 1)), artifact: name, version: version - 1 }],
      },
    });
    const entries = Array.from({ length: 2_000 }, (_, version) => made(version));
    fs.mkdirSync(t.path("artifacts"), { recursive: true });
    fs.writeFileSync(t.path("artifacts/user.json"), JSON.stringify({ version: 1, entries }));
    const tree = await t.client.request("get_lineage", { sessionId: (await t.session()).id, name });
    const answer = JSON.stringify(tree);
    expect([answer.split('"made":').length - 1, answer.includes('"cut":true')]).toEqual([201, true]);
  });

  it("is complete for an artifact that was used at every step, since it is followed where it is nearest", async () => {
    await using t = await open();
    const of = (name: string, version: number, ...inputs: [string, number][]) => ({
      ...{ name, version, sha256: hash(`${name} ${version}`), size: 1, mimeType: "text/plain", savedAt: version },
      lineage: {
        by: "me",
        inputs: inputs.map(([artifact, used]) => ({
          ...{ from: artifact, to: "a", sha256: hash(`${artifact} ${used}`), artifact, version: used },
        })),
      },
    });
    const [source, config, first] = [of("user:source", 0), of("user:config", 0, ["user:source", 0]), of("user:a", 0)];
    const later = Array.from({ length: 300 }, (_, at) => of("user:a", at + 1, ["user:a", at], ["user:config", 0]));
    fs.mkdirSync(t.path("artifacts"), { recursive: true });
    const entries = [source, config, first, ...later];
    fs.writeFileSync(t.path("artifacts/user.json"), JSON.stringify({ version: 1, entries }));
    const { inputs } = await t.client.request("get_lineage", { sessionId: (await t.session()).id, name: "user:a" });
    expect(inputs[1]?.made).toEqual({
      artifact: config,
      inputs: [{ ...config.lineage.inputs[0], made: { artifact: source, inputs: [] } }],
    });
    expect(inputs[0]?.made?.inputs[1]?.made).toEqual({ artifact: config, inputs: [], again: true });
  });
});

describe("a client", () => {
  it("reads a large artifact in parts", async () => {
    await using t = await open();
    const one = await t.session();
    const content = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256));
    await (await one.of()).save({ name: "a", content, mimeType: "application/octet-stream" });
    const part = async (offset: number, length: number) => {
      const { base64, size } = await t.client.request("get_artifact", { sessionId: one.id, name: "a", offset, length });
      return [size, Buffer.from(base64, "base64")];
    };
    expect(await part(0, 300)).toEqual([1_000, content.subarray(0, 300)]);
    expect(await part(900, 300)).toEqual([1_000, content.subarray(900)]);
    expect(await part(2_000, 300)).toEqual([1_000, Buffer.alloc(0)]);
  });

  it("lists, reads and removes artifacts", async () => {
    await using t = await open();
    const one = await t.session();
    const own = await one.of();
    await own.save(text("a", "one"));
    await own.save(text("a", "two"));
    const { id: sessionId } = one;
    expect(await t.client.request("list_artifacts", { sessionId })).toEqual({ artifacts: [version("a", 1, "two")] });
    expect((await t.client.request("list_artifacts", { sessionId, name: "a" })).artifacts).toHaveLength(2);
    expect(await t.client.request("get_artifact", { sessionId, name: "a", version: 0 })).toEqual({
      ...version("a", 0, "one"),
      base64: Buffer.from("one").toString("base64"),
    });
    await expect(t.client.request("get_artifact", { sessionId, name: "b" })).rejects.toMatchObject({
      code: "ARTIFACT_UNKNOWN",
      message: "There is no artifact b. There are: a.",
    });
    expect(await t.client.request("remove_artifact", { sessionId, name: "a" })).toEqual({ name: "a" });
    await expect(t.client.request("remove_artifact", { sessionId, name: "a" })).rejects.toMatchObject({
      message: "There is no artifact a: this session has none.",
    });
  });
});
