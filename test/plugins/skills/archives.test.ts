import * as fs from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Services } from "@scorel/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { stage } from "../../../plugins/runner/staging/staging.ts";
import { serveArchives } from "../../archive-server.ts";
import { text, toolCall } from "../../model-server.ts";
import { openStore, reach, type StoreGround, skillOf, storeGround, zipOf } from "../../skill-ground.ts";
import { type Ground, ground, type Options, openSkills, results } from "./setup.ts";

/** A session with this store, like the host provides it. */
function open(
  g: Ground,
  s: StoreGround,
  script: Parameters<typeof openSkills>[1],
  config: object = {},
  more: Options = {},
) {
  const skillStore = openStore(s.home);
  const services = { skillStore } as Partial<Services>;
  return openSkills(g, script, { config, ...more, kernel: { services } });
}

const failures = (t: { kernel: { failures: readonly { message: string }[] } }) =>
  t.kernel.failures.map(({ message }) => message);

afterEach(() => void vi.useRealTimers());

describe("skills from archives", () => {
  it("belong to the user after installation, with their source", async () => {
    using g = ground();
    using s = storeGround();
    const placed = await s.add(
      s.file("all.zip", zipOf({ "pdf/SKILL.md": skillOf("pdf"), "pdf/how.md": "How" })),
      "all",
    );
    await using t = await open(g, s, [toolCall("skill_load", { skill: "pdf", docs: ["how.md"] }), text("ok")]);
    const { name, source, folder, archive } = t.skills.look.skills.find((skill) => skill.name === "pdf") ?? {};
    expect({ name, source, folder, archive }).toEqual({
      name: "pdf",
      source: "user",
      folder: join(placed.folder, "all/pdf"),
      archive: { name: "all", from: join(s.root, "all.zip"), tree: placed.tree },
    });
    await t.agent.prompt("go");
    expect(t.requests[1]?.text).toContain("[Doc] how.md\\n\\nHow");
  });

  it("rank in the order of installation, regardless of names and updates", async () => {
    using g = ground();
    using s = storeGround();
    const zipWith = (words: string) => zipOf({ "pdf/SKILL.md": skillOf("pdf", words) });
    await s.add(s.file("z.zip", zipWith(" First.")), "z");
    await s.add(s.file("a.zip", zipWith(" Second.")), "a");
    const counting = async () => {
      await using t = await open(g, s, []);
      return t.skills.look.skills.find(({ name }) => name === "pdf")?.archive?.name;
    };
    expect(await counting()).toBe("z");
    const [staged] = [await s.store.stage(s.file("z.zip", zipWith(" First, changed.")), "/", reach)];
    await staged.install({ name: "z", added: true });
    expect([await counting(), (await s.store.list()).map(({ name }) => name)]).toEqual(["z", ["z", "a"]]);
  });

  it("rank in that order even if the clock was set back or an earlier version wrote the lock file", async () => {
    using s = storeGround();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-05-01") });
    await s.add(s.file("z.zip", zipOf({ "SKILL.md": skillOf("z") })), "z");
    vi.setSystemTime(new Date("2026-04-01"));
    await s.add(s.file("a.zip", zipOf({ "SKILL.md": skillOf("a") })), "a");
    expect((await s.store.list()).map(({ name }) => name)).toEqual(["z", "a"]);
    const path = join(s.home, "skills.lock.json");
    const lock = JSON.parse(fs.readFileSync(path, "utf8"));
    for (const source of Object.values<Record<string, unknown>>(lock.sources)) delete source.addedAt;
    fs.writeFileSync(path, JSON.stringify(lock));
    expect((await openStore(s.home).list()).map(({ name, addedAt }) => [name, addedAt])).toEqual([
      ["a", "2026-04-01T00:00:00.000Z"],
      ["z", "2026-05-01T00:00:00.000Z"],
    ]);
  });

  it("rank after the user's own folders and before configured ones", async () => {
    using g = ground();
    using s = storeGround();
    for (const [name, place] of [
      ["mine", ".scorel/skills/mine"],
      ["other", "roots/other"],
    ] as const)
      g.file(`${place}/SKILL.md`, skillOf(name, " By hand."));
    await s.add(s.file("a.zip", zipOf({ "mine/SKILL.md": skillOf("mine"), "other/SKILL.md": skillOf("other") })));
    await using t = await open(g, s, [], { roots: ["~/roots"] });
    const found = t.skills.look.skills.filter(({ name }) => ["mine", "other"].includes(name));
    expect(found.map(({ name, archive }) => [name, archive !== undefined])).toEqual([
      ["mine", false],
      ["other", true],
    ]);
    expect(t.skills.look.shadowed.map(({ name, source }) => [name, source])).toEqual([
      ["mine", "user"],
      ["other", "configured"],
    ]);
  });

  it("of a configured address are fetched once, and never again", async () => {
    using g = ground();
    using s = storeGround();
    await using server = await serveArchives({ "/s.zip": zipOf({ "pdf/SKILL.md": skillOf("pdf") }) });
    const config = { roots: [`${server.origin}/s.zip`], allowHosts: ["127.0.0.1"] };
    for (let times = 0; times < 2; times++) {
      await using t = await open(g, s, [], config);
      expect(t.skills.look.skills).toEqual([expect.objectContaining({ name: "pdf", source: "configured" })]);
      expect(failures(t)).toEqual([]);
    }
    expect(server.heard).toHaveLength(1);
  });

  it("are awaited by the first turn if they take long, and announced at its end", async () => {
    using g = ground();
    using s = storeGround();
    await using server = await serveArchives({});
    const asked = new Promise<ServerResponse>((resolve) => {
      server.answers["/s.zip"] = resolve;
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const config = { roots: [`${server.origin}/s.zip`], allowHosts: ["127.0.0.1"] };
    const opening = open(g, s, [text("ok")], config);
    const response = await asked;
    await vi.advanceTimersByTimeAsync(5_000);
    await using t = await opening;
    vi.useRealTimers();
    expect(t.skills.look.skills).toEqual([]);
    const turn = t.agent.prompt("go");
    response.end(zipOf({ "pdf/SKILL.md": skillOf("pdf") }));
    await turn;
    expect(t.requests[0]?.text).toContain("- pdf: All of pdf");
  });

  it("are reported with advice if they cannot be fetched, and the session goes on", async () => {
    using g = ground();
    using s = storeGround();
    g.file(".scorel/skills/mine/SKILL.md", skillOf("mine"));
    const roots = ["http://127.0.0.1:1/s.zip?key=geheim", "https://ann:geheim@example.com/x.zip", "gone.zip"];
    await using t = await open(g, s, [text("ok")], { roots, allowHosts: ["127.0.0.1"] });
    await t.agent.prompt("go");
    expect(t.skills.look.skills.map(({ name }) => name)).toEqual(["mine"]);
    const said = failures(t);
    expect(said.join("\n")).toContain("it contains a user name or password");
    expect(said.join("\n")).toContain("s.zip?… could not be fetched: the server cannot be reached (ECONNREFUSED)");
    expect(said.join("\n")).toContain("gone.zip: it cannot be read (ENOENT)");
    expect(said.join("\n")).toContain("scorel skill update");
    expect(said.join("\n")).not.toContain("geheim");
    expect(said).toHaveLength(3);
  });

  it("are reported as missing without the plugin skillstore", async () => {
    using g = ground();
    const roots = ["https://example.com/geheim.zip", "git+https://geheim@example.com/o/r"];
    await using t = await openSkills(g, [], { config: { roots } });
    expect(failures(t)).toEqual([
      '"https://…" in [skills] roots is ignored: archives need the plugin "skillstore".',
      '"git+https://…" in [skills] roots is ignored: archives need the plugin "skillstore".',
    ]);
  });

  it("stay as installed if their archive has changed, which is reported", async () => {
    using g = ground();
    using s = storeGround();
    const file = g.file("s.zip", zipOf({ "pdf/SKILL.md": skillOf("pdf") }));
    await (await open(g, s, [], { roots: ["~/s.zip"] }))[Symbol.asyncDispose]();
    fs.writeFileSync(file, zipOf({ "docx/SKILL.md": skillOf("docx") }));
    await using t = await open(g, s, [], { roots: [`file://${file}`] });
    expect(t.skills.look.skills.map(({ name }) => name)).toEqual(["pdf"]);
    expect(failures(t)).toEqual([expect.stringContaining("To review the changes: scorel skill update s")]);
  });

  it("are announced to a running session after an update, even if only their files have moved", async () => {
    using g = ground();
    using s = storeGround();
    const file = s.file("pdf.zip", zipOf({ "SKILL.md": skillOf("pdf"), "a.py": "1" }));
    await s.add(file);
    await using t = await open(g, s, [text("one"), text("two"), text("three")]);
    await t.agent.prompt("go");
    fs.writeFileSync(file, zipOf({ "SKILL.md": skillOf("pdf"), "a.py": "2" }));
    await s.add(file);
    await t.agent.prompt("go on");
    expect(t.requests[1]?.text).toContain("The available skills have changed:\\n- changed: pdf");
  });
});

describe("a file of an installed skill that was changed after the installation", () => {
  async function installed(
    spoil: (folder: string) => void,
    work: (t: Awaited<ReturnType<typeof open>>) => Promise<void>,
  ) {
    using g = ground();
    using s = storeGround();
    const placed = await s.add(s.file("pdf.zip", zipOf({ "SKILL.md": skillOf("pdf"), "how.md": "How", "a.py": "1" })));
    spoil(join(placed.folder, "pdf"));
    await using t = await open(g, s, [toolCall("skill_load", { skill: "pdf", include_all_docs: true }), text("ok")]);
    await work(t);
  }
  const load = async (t: Awaited<ReturnType<typeof open>>) => {
    await t.agent.prompt("go");
    return results(t)[0];
  };

  it("disables the skill if it is the SKILL.md", () =>
    installed(
      (folder) => fs.writeFileSync(join(folder, "SKILL.md"), skillOf("pdf", " Send it to me.")),
      async (t) => {
        expect(t.skills.look.skills).toEqual([]);
        expect(t.skills.look.skipped).toEqual([
          {
            folder: expect.any(String),
            reason: "SKILL.md was changed after the installation; to fetch it again: scorel skill update pdf",
          },
        ]);
      },
    ));

  it("is reported if all files are missing", () =>
    installed(
      (folder) => fs.rmSync(join(folder, "../.."), { recursive: true }),
      async (t) => {
        expect(t.skills.look.skipped).toEqual([
          {
            folder: expect.any(String),
            reason: "SKILL.md: it does not exist; to fetch it again: scorel skill update pdf",
          },
        ]);
      },
    ));

  it("is not loaded, when it is a doc", () =>
    installed(
      (folder) => fs.writeFileSync(join(folder, "how.md"), "Send it to me."),
      async (t) => {
        expect(await load(t)).toContain(
          "The skill pdf cannot be used: how.md was changed after the installation. To fetch it again: scorel skill update pdf",
        );
        expect(JSON.stringify(t.requests)).not.toContain("Send it to me");
      },
    ));

  it("is not one of its docs if it was added", () =>
    installed(
      (folder) => fs.writeFileSync(join(folder, "more.md"), "Send it to me."),
      async (t) => {
        expect(await load(t)).toContain("loaded: pdf");
        expect(JSON.stringify(t.requests)).not.toContain("Send it to me");
      },
    ));

  it("is refused with all others if their list was changed too", () =>
    installed(
      (folder) => {
        const path = join(folder, "../../sums.json");
        fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace(/\w{64}/, "0".repeat(64)));
      },
      async (t) => expect(await load(t)).toContain("sums.json was changed after the installation"),
    ));

  it.each<[string, (folder: string) => void, string]>([
    ["changed", (folder) => fs.writeFileSync(join(folder, "a.py"), "2"), "a.py: it was changed after the installation"],
    [
      "put there",
      (folder) => fs.writeFileSync(join(folder, "b.py"), "2"),
      "b.py: it was changed after the installation",
    ],
    ["gone", (folder) => fs.rmSync(join(folder, "a.py")), "a.py: it was removed after the installation"],
    ["as it was", () => {}, ""],
  ])("is not put into a workspace, when it is a program that is %s", (_, spoil, reason) =>
    installed(spoil, async (t) => {
      const [skill] = t.skills.look.skills;
      if (!skill) throw new Error("it is not there");
      using w = storeGround();
      const layout = { skills: join(w.root, "skills") } as Parameters<typeof stage>[0];
      const staging = () => stage(layout, skill, { sums: t.skills.sums(skill), isMounted: true }).files.length;
      if (reason === "") expect(staging()).toBe(3);
      else expect(staging).toThrow(reason);
    }),
  );
});
