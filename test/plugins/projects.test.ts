import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import projects from "@scorel/projects";
import type { ProjectBook } from "@scorel/projects/contract";
import { describe, expect, it } from "vitest";
import { bookOf } from "../../plugins/projects/book.ts";
import type { Entry } from "../../plugins/projects/file.ts";
import { withSessions } from "../../plugins/projects/work.ts";
import { fc } from "../property.ts";
import { ask, echoAgent, type TestHome, testHome, testHost } from "./host/home.ts";
import { user, writeLog } from "./search/store.ts";

const open = () => testHost([echoAgent], [], [projects]);
const withRoots = (roots: string[]) => ({ plugin: projects as AnyPlugin, origin: "test", config: { roots } });
const fileIn = ({ home }: TestHome) => join(home, ".scorel", "projects.json");
const fileOf = (home: TestHome) => JSON.parse(readFileSync(fileIn(home), "utf8")) as { projects: Entry[] };
const directory = (home: TestHome, name: string) => {
  mkdirSync(join(home.home, name), { recursive: true });
  return join(home.home, name);
};

/** Creates a session with one message in a directory, and closes it; returns its id. */
async function session(t: Awaited<ReturnType<typeof open>>, cwd: string): Promise<string> {
  const { sessionId } = await t.client.request("create_session", { cwd });
  await ask(t.client, sessionId, "hello");
  await t.client.request("close_session", { sessionId });
  return sessionId;
}

describe("a project", () => {
  it("is registered once by the first session in its git root, readable only by the user", async () => {
    using home = testHome();
    mkdirSync(join(home.cwd, ".git"));
    await using t = await open();
    const id = await session(t, directory(home, "work/deep"));
    await session(t, home.cwd);
    const [project] = fileOf(home).projects;
    expect(fileOf(home)).toEqual({
      version: 1,
      projects: [{ projectId: project?.projectId, name: "work", directory: home.cwd, createdAt: expect.any(Number) }],
    });
    expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
    const header = JSON.parse(readFileSync(home.session(`${id}.jsonl`), "utf8").split("\n")[0] ?? "");
    expect(header.meta.projectId).toBe(project?.projectId);
    const { projects } = await t.client.request("list_projects", {});
    expect(projects).toMatchObject([{ name: "work", directory: home.cwd, exists: true, sessions: 2 }]);
  });

  it("is that of the checkout for sessions in a worktree, also as clients see it that may only read", async () => {
    using home = testHome();
    mkdirSync(join(home.cwd, ".git"));
    const worktree = directory(home, "work/.scorel-worktrees/fix");
    writeFileSync(join(worktree, ".git"), "gitdir: ../../.git/worktrees/fix\n");
    writeLog(home, "legacy0000000001", [{ id: "e1", message: user("old") }], {
      meta: { cwd: worktree, root: worktree },
    });
    await using t = await open();
    const reader = t.host.connect({ scope: { operations: "read" } });
    expect(await reader.request("list_session_projects", {})).toEqual({ projects: [] });
    expect(existsSync(fileIn(home))).toBe(false);
    await t.client.request("list_projects", {});
    await t.client.request("register_project", { directory: worktree });
    await session(t, worktree);
    expect(fileOf(home).projects).toMatchObject([{ name: "work", directory: home.cwd }]);
    const { projects } = await reader.request("list_session_projects", {});
    expect(projects).toMatchObject([{ name: "work", directory: home.cwd, exists: true, sessions: 2 }]);
    // A client does not see projects whose sessions it may not see.
    const other = t.host.connect({ scope: { operations: "read", sessions: [] } });
    expect(await other.request("list_session_projects", {})).toEqual({ projects: [] });
  });

  it("is not registered by a session without a log", async () => {
    using home = testHome();
    await using t = await open();
    await t.client.request("create_session", { cwd: home.cwd, unsaved: true });
    expect(existsSync(fileIn(home))).toBe(false);
  });

  it("is registered once by the concurrent first sessions of many processes", async () => {
    using home = testHome();
    const hosts = await Promise.all(Array.from({ length: 4 }, open));
    const cwds = ["a", "b"].map((name) => directory(home, name));
    await Promise.all(
      hosts.flatMap((t) => cwds.map((cwd) => t.client.request("register_project", { directory: cwd }))),
    );
    expect(
      fileOf(home)
        .projects.map(({ directory }) => directory)
        .sort(),
    ).toEqual(cwds);
    for (const t of hosts) await t[Symbol.asyncDispose]();
  });

  it("is found by id, name and directory, and lists its sessions, also older ones without a project", async () => {
    using home = testHome();
    const [a, b] = [directory(home, "a"), directory(home, "b")];
    writeLog(home, "legacy0000000001", [{ id: "e1", message: user("old") }], {
      meta: { cwd: join(b, "sub"), root: b },
    });
    await using t = await open();
    const inA = await session(t, a);
    await t.client.request("list_projects", {});
    const ids = async (project: string) =>
      (await t.client.request("list_sessions", { project })).sessions.map(({ sessionId }) => sessionId);
    const [first, second] = fileOf(home).projects;
    expect([first?.directory, second?.directory]).toEqual([a, b]);
    expect(await ids("a")).toEqual([inA]);
    expect(await ids(first?.projectId.slice(0, 6) ?? "")).toEqual([inA]);
    expect(await ids(b)).toEqual(["legacy0000000001"]);
    await expect(ids("c")).rejects.toMatchObject({ code: "PROJECT_UNKNOWN" });
    directory(home, "other/a");
    await t.client.request("register_project", { directory: join(home.home, "other/a") });
    await expect(ids("a")).rejects.toMatchObject({ code: "PROJECT_AMBIGUOUS" });
    expect((await t.client.request("list_sessions", { limit: 1 })).sessions).toHaveLength(1);
    for (const limit of [0, 1001, 1.5])
      await expect(t.client.request("list_sessions", { limit })).rejects.toMatchObject({ code: "HOST_LIMIT_INVALID" });
  });

  it("is found by a name that one removed from the list has, too", async () => {
    using home = testHome();
    await using t = await open();
    await session(t, directory(home, "former/app"));
    await t.client.request("remove_project", { project: "app" });
    const sessionId = await session(t, directory(home, "app"));
    expect((await t.client.request("list_sessions", { project: "app" })).sessions).toMatchObject([{ sessionId }]);
  });

  it("keeps its id when it is removed from the list and added again", async () => {
    using home = testHome();
    await using t = await open();
    await session(t, home.cwd);
    const [before] = fileOf(home).projects;
    expect(await t.client.request("remove_project", { project: "work" })).toMatchObject({ project: { name: "work" } });
    expect((await t.client.request("list_projects", {})).projects).toEqual([]);
    expect((await t.client.request("list_sessions", { project: home.cwd })).sessions).toHaveLength(1);
    await session(t, home.cwd);
    expect((await t.client.request("list_projects", {})).projects).toMatchObject([
      { projectId: before?.projectId, sessions: 2 },
    ]);
  });
});

describe("the list of projects", () => {
  it("looks up the project of each session once, however many projects there are", () => {
    const projects = [1, 2, 3].map((n) => ({ projectId: `p${n}`, name: `${n}`, directory: `/no/${n}`, createdAt: n }));
    const sessions = Array.from({ length: 12 }, (_, n) => ({
      ...{ sessionId: `s${n}`, cwd: "/no", title: "", path: "", createdAt: n, updatedAt: 100 - n },
      ...(n % 4 !== 3 && { projectId: `p${(n % 4) + 1}` }),
    })).filter(({ projectId }) => projectId !== "p3");
    let asked = 0;
    const book: ProjectBook = {
      ...bookOf(projects),
      of(place) {
        asked++;
        return projects.find(({ projectId }) => projectId === place.projectId);
      },
    };
    expect(withSessions(book, sessions)).toEqual([
      { ...projects[0], exists: false, sessions: 3, updatedAt: 100 },
      { ...projects[1], exists: false, sessions: 3, updatedAt: 99 },
      { ...projects[2], exists: false, sessions: 0 },
    ]);
    expect(asked).toBe(sessions.length);
  });
});

describe("a moved working directory", () => {
  it("is asked for, and its sessions follow, however often it moves", async () => {
    using home = testHome();
    await using t = await open();
    const deep = directory(home, "work/deep");
    mkdirSync(join(home.cwd, ".git"));
    const id = await session(t, deep);
    for (const name of ["second", "third", "work"]) {
      const from = fileOf(home).projects[0]?.directory ?? "";
      const to = join(home.home, name);
      renameSync(from, to);
      await expect(t.client.request("load_session", { sessionId: id })).rejects.toMatchObject({
        code: "HOST_CWD_GONE",
        message: expect.stringContaining(`scorel project move ${join(from, "deep")}`),
      });
      await t.client.request("move_project", { project: from, directory: to });
      expect(await t.client.request("continue_session", { cwd: join(to, "deep") })).toMatchObject({ sessionId: id });
      const { sessions } = await t.client.request("list_sessions", { cwd: join(to, "deep") });
      expect(sessions).toMatchObject([{ sessionId: id, cwd: join(to, "deep") }]);
      await t.client.request("close_session", { sessionId: id });
    }
    expect(fileOf(home).projects).toHaveLength(1);
  });

  it("is followed by sessions that are open meanwhile, except in a turn", async () => {
    using home = testHome();
    const inTurn = new Set<string>();
    const agent = definePlugin({
      ...{ id: "agent", name: "Agent", version: "1.0.0", provides: ["agent"] },
      activate(ctx) {
        const running = { get: () => inTurn.has(ctx.session.id) };
        ctx.provide("agent", Object.defineProperty({}, "running", running) as never);
      },
    });
    await using t = await testHost([agent], [], [projects]);
    const [idle, busy, elsewhere] = ["idle000000000001", "busy000000000001", "elsewhere0000001"] as const;
    inTurn.add(busy);
    const places = { [idle]: home.cwd, [busy]: home.cwd, [elsewhere]: directory(home, "elsewhere") };
    for (const [id, cwd] of Object.entries(places)) {
      writeLog(home, id, [{ id: "e1", message: user("hello") }], { meta: { cwd, root: cwd } });
      await t.client.request("load_session", { sessionId: id });
    }
    const to = join(home.home, "moved");
    renameSync(home.cwd, to);
    const { text } = await t.client.request("move_project", { project: home.cwd, directory: to });
    expect(text).toContain(`These sessions are in a turn, and work in ${to} when they are opened again: ${busy}`);
    const cwdOf = async (sessionId: string) => (await t.client.request("load_session", { sessionId })).meta.cwd;
    expect(await Promise.all([idle, busy, elsewhere].map(cwdOf))).toEqual([to, home.cwd, join(home.home, "elsewhere")]);
  });

  it("is quoted for the shell", async () => {
    using home = testHome();
    await using t = await open();
    const cwd = directory(home, "it's here");
    const id = await session(t, cwd);
    rmSync(cwd, { recursive: true });
    await expect(t.client.request("load_session", { sessionId: id })).rejects.toMatchObject({
      message: expect.stringContaining(`scorel project move '${home.home}/it'\\''s here' NEW-DIRECTORY`),
    });
    writeLog(home, "nowhere000000001", [{ id: "e1", message: user("old") }], { meta: { cwd: undefined } });
    await expect(t.client.request("load_session", { sessionId: "nowhere000000001" })).rejects.toMatchObject({
      message: expect.stringContaining("is unknown, so it cannot be continued"),
    });
  });

  it("merges with a project at its new place, and copies start there", async () => {
    using home = testHome();
    await using t = await open();
    const first = await session(t, home.cwd);
    const to = join(home.home, "moved");
    renameSync(home.cwd, to);
    const second = await session(t, to);
    const { project } = await t.client.request("move_project", { project: "work", directory: to });
    expect((await t.client.request("list_projects", {})).projects).toMatchObject([
      { projectId: project.projectId, directory: to, sessions: 2 },
    ]);
    const ids = (await t.client.request("list_sessions", { project: "work" })).sessions.map((each) => each.sessionId);
    expect(ids.sort()).toEqual([first, second].sort());
    const copy = await t.client.request("clone_session", { sessionId: first, atOnce: true });
    expect(copy.meta.cwd).toBe(to);
  });

  it("may be inside a project, or older than projects", async () => {
    using home = testHome();
    mkdirSync(join(home.cwd, ".git"));
    await using t = await open();
    const id = await session(t, directory(home, "work/old"));
    renameSync(join(home.cwd, "old"), join(home.cwd, "new"));
    await t.client.request("move_project", { project: join(home.cwd, "old"), directory: join(home.cwd, "new") });
    expect(await t.client.request("load_session", { sessionId: id })).toMatchObject({ sessionId: id });
    expect(fileOf(home).projects[0]?.directory).toBe(home.cwd);

    const gone = join(home.home, "gone");
    writeLog(home, "legacy0000000001", [{ id: "e1", message: user("old") }], { meta: { cwd: gone } });
    const here = directory(home, "here");
    await t.client.request("move_project", { project: gone, directory: here });
    expect((await t.client.request("list_sessions", { cwd: here })).sessions).toHaveLength(1);
  });

  it("may be named by a path through a link", async () => {
    using home = testHome();
    await using t = await open();
    const id = await session(t, home.cwd);
    const link = join(home.home, "link");
    symlinkSync(home.home, link);
    renameSync(home.cwd, join(home.home, "moved"));
    await t.client.request("move_project", { project: join(link, "work"), directory: join(link, "moved") });
    expect(await t.client.request("load_session", { sessionId: id })).toMatchObject({ sessionId: id });
    expect(fileOf(home).projects).toMatchObject([{ name: "work", directory: join(home.home, "moved") }]);
  });

  it("cannot be missing when the session has no directory", async () => {
    using home = testHome();
    await using t = await open();
    await session(t, home.cwd);
    const asked = t.client.request("move_project", { project: "work", directory: join(home.home, "nowhere") });
    await expect(asked).rejects.toMatchObject({ code: "HOST_CWD_INVALID" });
  });
});

describe("the projects file", () => {
  it("keeps unknown fields", async () => {
    using home = testHome();
    await using t = await open();
    await session(t, home.cwd);
    const { projects, ...rest } = fileOf(home);
    const more = { ...rest, colour: "blue", projects: [{ ...projects[0], pinned: true }] };
    writeFileSync(fileIn(home), JSON.stringify(more));
    const b = directory(home, "b");
    await session(t, b);
    await t.client.request("remove_project", { project: "work" });
    expect(fileOf(home)).toMatchObject({
      colour: "blue",
      projects: [{ name: "work", pinned: true }, { directory: b }],
    });
  });

  it.each([
    ["is not JSON", "{ projects: "],
    ['has no list "projects"', "[]"],
    ["lacks an id", '{"projects":[{"projectId":"","name":"a","directory":"/a","createdAt":1}]}'],
    ["is newer", '{"version":2,"projects":[]}'],
  ])("is reported and left unchanged when it %s, and sessions still work", async (reason, text) => {
    using home = testHome();
    mkdirSync(join(home.home, ".scorel"), { mode: 0o700 });
    writeFileSync(fileIn(home), text);
    await using t = await open();
    const { sessionId, notices } = await t.client.request("create_session", { cwd: home.cwd });
    expect(notices).toMatchObject([{ code: "PROJECT_FILE", message: expect.stringContaining(fileIn(home)) }]);
    expect(notices[0]?.message).toContain(reason);
    await ask(t.client, sessionId, "hello");
    await t.client.request("close_session", { sessionId });
    expect((await t.client.request("list_sessions", {})).sessions).toHaveLength(1);
    await expect(t.client.request("list_sessions", { project: "work" })).rejects.toMatchObject({
      code: "PROJECT_FILE",
    });
    await expect(t.client.request("list_projects", {})).rejects.toMatchObject({ code: "PROJECT_FILE" });
    expect(readFileSync(fileIn(home), "utf8")).toBe(text);
  });
});

describe("directories offered to a client", () => {
  it("are those below home, without hidden ones and links", async () => {
    using home = testHome();
    for (const name of ["b", "a", ".secret", "work/inner"]) directory(home, name);
    writeFileSync(join(home.home, "file"), "");
    symlinkSync("/", join(home.home, "root"));
    await using t = await open();
    expect(await t.client.request("list_directories", {})).toEqual({
      directory: home.home,
      parent: null,
      roots: [home.home],
      names: ["a", "b", "work"],
      more: false,
    });
    expect(await t.client.request("list_directories", { directory: "work" })).toEqual({
      directory: home.cwd,
      parent: home.home,
      roots: [home.home],
      names: ["inner"],
      more: false,
    });
    for (const outside of [
      "/",
      "..",
      "root",
      ".secret",
      "/etc",
      "/nothing",
      ".secret/nothing",
      "root/etc",
      `${home.home}2`,
    ])
      await expect(t.client.request("list_directories", { directory: outside })).rejects.toMatchObject({
        code: "PROJECT_OUTSIDE",
      });
    await expect(t.client.request("list_directories", { directory: "none" })).rejects.toMatchObject({
      code: "PROJECT_DIRECTORY",
    });
  });

  it("are those below the roots that the user has set, also if a link leads to a root", async () => {
    using home = testHome();
    using other = testHome();
    process.env.HOME = home.home;
    for (const name of ["code/shop", "code/.git/hooks", "codex"]) directory(home, name);
    directory(other, "inside");
    symlinkSync(other.home, join(home.home, "link"));
    await using t = await testHost([echoAgent], [], [withRoots(["~/code", "~/link", "~/gone"])]);
    const list = (directory?: string) =>
      t.client.request("list_directories", directory === undefined ? {} : { directory });
    const roots = [join(home.home, "code"), other.home];
    expect(await list()).toEqual({ directory: roots[0], parent: null, roots, names: ["shop"], more: false });
    expect(await list(join(home.home, "link"))).toMatchObject({ directory: other.home, parent: null });
    expect(await list("shop")).toMatchObject({ parent: roots[0] });
    for (const outside of [home.home, "..", "../codex", `${roots[0]}x`, ".git", ".git/hooks", "%2e%2e", "\u0000"])
      await expect(list(outside)).rejects.toMatchObject({ code: expect.stringMatching(/^PROJECT_/) });
  });

  it("are limited to a thousand", async () => {
    using home = testHome();
    for (let n = 0; n < 1001; n++) mkdirSync(join(home.cwd, `d${n}`));
    await using t = await open();
    const { names, more } = await t.client.request("list_directories", { directory: "work" });
    expect([names.length, more]).toEqual([1000, true]);
    rmSync(home.cwd, { recursive: true });
  });
});

it("a session is found where the moves of its project lead", () => {
  const place = fc.constantFrom("/a", "/b", "/c");
  const sub = fc.constantFrom("", "/x", "/x/y");
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 6 }), fc.nat(5), sub, (stops, made, inside) => {
      const moves = stops.slice(1).map((to, at) => ({ from: stops[at] as string, to, until: at + 1 }));
      const createdAt = Math.min(made, stops.length - 1);
      const entry = { projectId: "p", name: "p", createdAt: 0, directory: stops.at(-1) as string, moves };
      const book = bookOf([entry]);
      const cwd = `${stops[createdAt]}${inside}`;
      expect(book.cwdOf({ cwd, createdAt, projectId: "p" })).toBe(`${stops.at(-1)}${inside}`);
    }),
    { numRuns: 2000 },
  );
});
