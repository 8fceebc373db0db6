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
