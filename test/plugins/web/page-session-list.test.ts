import type { RemoteClient } from "@scorel/host/client";
import type { SessionChange, SessionSummary } from "@scorel/host/contract";
import { expect, it } from "vitest";
import type { KeptLists } from "../../../plugins/web/page/host/kept-lists.ts";
import { ALL } from "../../../plugins/web/page/host/rights.ts";
import { SessionList } from "../../../plugins/web/page/host/session-list.ts";
import { Store } from "../../../plugins/web/page/store.ts";

const session = (sessionId: string, title: string): SessionSummary => ({
  ...{ sessionId, title, cwd: "/one", path: `/logs/${sessionId}.jsonl` },
  ...{ createdAt: 1, updatedAt: 2, messages: 2 },
});

const notKept = { read: async () => undefined, writeLater: () => {} } as unknown as KeptLists;

/** A list whose host has answered with its sessions, but not yet with its projects. */
async function readingList(sessions: SessionSummary[]) {
  let tell: (change: SessionChange) => void = () => {};
  let answerProjects: (answer: object) => void = () => {};
  const projects = new Promise<object>((resolve) => {
    answerProjects = resolve;
  });
  const client = {
    watchSessions: async (listener: typeof tell) => {
      tell = listener;
    },
    request: async (operation: string) => (operation === "list_sessions" ? { sessions } : projects),
  };
  const list = new SessionList(client as unknown as RemoteClient, notKept, new Store({ ...ALL }));
  const begun = list.begin();
  await new Promise(setImmediate);
  const finish = async () => {
    answerProjects({ projects: [{ projectId: "p1", name: "one", directory: "/one" }] });
    await begun;
    return list.projects.get().map(({ name, sessions }) => [name, ...sessions.map(({ title }) => title)]);
  };
  return { list, tell: (change: SessionChange) => tell(change), finish };
}

it("changes that arrive while the lists are read are applied to what was read", async () => {
  const t = await readingList([session("s1", "Deleted"), session("s2", "Old title"), session("s3", "Unchanged")]);
  t.tell({ change: "deleted", session: session("s1", "Deleted") });
  t.tell({ change: "renamed", session: session("s2", "New title") });
  t.tell({ change: "created", session: session("s4", "Created") });
  expect(await t.finish()).toEqual([["one", "New title", "Unchanged", "Created"]]);
  expect(t.list.deleted.get()).toEqual(new Set(["s1"]));
});

it("of two reads at once, the lists of the later one stay, also if the earlier one ends last or fails", async () => {
  const answers: { resolve(answer: object): void; reject(thrown: Error): void }[] = [];
  const client = {
    request: async (operation: string) => {
      if (operation === "list_sessions") return { sessions: [] };
      return new Promise<object>((resolve, reject) => answers.push({ resolve, reject }));
    },
  };
  const list = new SessionList(client as unknown as RemoteClient, notKept, new Store({ ...ALL }));
  const reads = [list.read(), list.read(), list.read()];
  const project = (name: string) => ({ projects: [{ projectId: name, name, directory: `/${name}` }] });
  answers[2]?.resolve(project("later"));
  await reads[2];
  answers[0]?.resolve(project("earlier"));
  answers[1]?.reject(new Error("refused"));
  await Promise.all(reads);
  expect([list.projects.get().map(({ name }) => name), list.problem.get()]).toEqual([["later"], undefined]);
});

/** A list of a host that knows no project. `reads` counts how often everything was read; `refuses` makes the host refuse that. */
async function listWithoutProjects() {
  const t = { reads: 0, refuses: false, sessions: [] as SessionSummary[] };
  let tell: (change: SessionChange) => void = () => {};
  const client = {
    watchSessions: async (listener: typeof tell) => {
      tell = listener;
    },
    request: async (operation: string) => {
      if (operation === "list_sessions") return { sessions: t.sessions };
      t.reads++;
      if (t.refuses) throw new Error("refused");
      return { projects: [] };
    },
  };
  const list = new SessionList(client as unknown as RemoteClient, notKept, new Store({ ...ALL }));
  await list.begin();
  const change = async (projectId: string, title: string) => {
    t.sessions = [{ ...session("s1", title), projectId }];
    for (const session of t.sessions) tell({ change: "renamed", session });
    await new Promise(setImmediate);
    return list.projects.get().flatMap(({ sessions }) => sessions.map(({ title }) => title));
  };
  return Object.assign(t, { change });
}

it("the lists are read again once for a project that stays unknown, and each change is shown", async () => {
  const t = await listWithoutProjects();
  const shown = [
    await t.change("removed", "One"),
    await t.change("removed", "Two"),
    await t.change("removed", "Three"),
  ];
  expect([shown, t.reads]).toEqual([[["One"], ["Two"], ["Three"]], 2]);
  await t.change("another", "Four");
  expect(t.reads).toBe(3);
});

it("the lists are read again for an unknown project after reading them has failed", async () => {
  const t = await listWithoutProjects();
  t.refuses = true;
  await t.change("added", "One");
  t.refuses = false;
  expect([await t.change("added", "Two"), t.reads]).toEqual([["Two"], 3]);
});
