import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CacheStore, followSession, type RemoteClient, type SessionView } from "@scorel/host/client";
import { expect, it } from "vitest";
import { fileCache } from "../../../plugins/daemon/file-cache.ts";
import { eventually } from "../../eventually.ts";
import { testGateway } from "../gateway/home.ts";
import { ask } from "./home.ts";

/** A host with one session, and a folder for a cache. */
async function stage() {
  const t = await testGateway();
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  const folder = join(mkdtempSync(join(tmpdir(), "scorel-cache-")), "views");
  const scope = { device: "desk", project: t.home.cwd };
  return {
    ...t,
    sessionId,
    folder,
    file: () => join(folder, readdirSync(folder)[0] as string),
    say: (text: string) => ask(t.client, sessionId, text),
    follow: async (options: { client?: RemoteClient; project?: string; store?: CacheStore } = {}) => {
      const { client = await t.connect(), store = fileCache(folder), project = scope.project } = options;
      const tail = Number.POSITIVE_INFINITY;
      const view = await followSession(client, sessionId, { tail, cache: { ...scope, store, project } });
      return { client, view };
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      rmSync(join(folder, ".."), { recursive: true, force: true });
    },
  };
}

const ids = ({ events }: SessionView) => events.map(({ event }) => (event as { id: string }).id);

/** A client whose subscriptions wait for `release`. `modes` are the modes in which they then begin. */
function held(client: RemoteClient) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const modes: string[] = [];
  const subscribe: RemoteClient["subscribe"] = async (...given) => {
    await released;
    const subscription = await client.subscribe(...given);
    modes.push(subscription.mode);
    return subscription;
  };
  const { request, drained, onState } = client;
  const members = { request, drained: drained.bind(client), onState: onState.bind(client), subscribe };
  return { client: { ...client, ...members } as unknown as RemoteClient, release, modes };
}

it("a view shows at once what an earlier one has seen, and then only gets new events", async () => {
  await using t = await stage();
  await t.say("one");
  const { view: earlier } = await t.follow();
  await earlier.close();
  await t.say("two");
  const { client, release, modes } = held(await t.connect());
  const { view } = await t.follow({ client });
  expect([ids(view), view.status.connection]).toEqual([ids(earlier), "cached"]);
  release();
  await eventually(() => expect(view.status.connection).toBe("live"));
  const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
  await eventually(() => expect(ids(view)).toEqual(events.map(({ event }) => (event as { id: string }).id)));
  expect(modes).toEqual(["persistent_fallback"]);
});

it("a view that is closed before the host has answered leaves nothing behind", async () => {
  await using t = await stage();
  await t.say("one");
  await (await t.follow()).view.close();
  const { client, release, modes } = held(await t.connect());
  const listeners = new Set<unknown>();
  client.onState = (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const store = fileCache(t.folder);
  const written: string[] = [];
  const { view } = await t.follow({
    client,
    store: {
      read: (key) => store.read(key),
      write: async (key) => void written.push(key),
      remove: (key) => store.remove(key),
    },
  });
  expect(view.status.connection).toBe("cached");
  await view.close();
  release();
  await eventually(() => expect(modes).toEqual(["persistent_fallback"]));
  await client.drained(t.sessionId);
  await client.request("ping", {});
  expect([listeners.size, written]).toEqual([0, []]);
});

it("a cache is discarded when the host's log is another one", async () => {
  await using t = await stage();
  await t.say("one");
  const { view: earlier } = await t.follow();
  await earlier.close();
  const entry = JSON.parse(readFileSync(t.file(), "utf8"));
  for (const change of [
    { anchor: { ...entry.anchor, epoch: "another" } },
    { anchor: { ...entry.anchor, persistentId: "another" }, events: [foreign(entry.events.at(-1))] },
  ]) {
    writeFileSync(t.file(), JSON.stringify({ ...entry, ...change }));
    const { client, release, modes } = held(await t.connect());
    const { view } = await t.follow({ client });
    expect(view.status.connection).toBe("cached");
    release();
    await eventually(() => expect(view.status.connection).toBe("live"));
    await client.drained(t.sessionId);
    expect([modes, ids(view)]).toEqual([["full_reload"], ids(earlier)]);
    await view.close();
  }
});

const foreign = (delivered: { event: object }) => ({ ...delivered, event: { ...delivered.event, id: "another" } });

it("a cache is not used for another project, nor if it is broken, has a gap or a wrong end", async () => {
  await using t = await stage();
  await t.say("one");
  const { view: earlier } = await t.follow();
  await earlier.close();
  const entry = JSON.parse(readFileSync(t.file(), "utf8"));
  const { view } = await t.follow({ project: "/elsewhere" });
  expect(view.status.connection).toBe("live");
  await view.close();
  for (const text of [
    "",
    "[]",
    "null",
    JSON.stringify({ ...entry, form: 0 }),
    JSON.stringify({ ...entry, events: "many" }),
    JSON.stringify({ ...entry, events: [null] }),
    JSON.stringify({ ...entry, events: entry.events.toReversed() }),
    JSON.stringify({ ...entry, events: entry.events.slice(0, -1) }),
    JSON.stringify({ ...entry, facts: null }),
    JSON.stringify({ ...entry, scope: ["desk", t.home.cwd, "another"] }),
  ]) {
    for (const name of readdirSync(t.folder)) writeFileSync(join(t.folder, name), text);
    const { view } = await t.follow();
    expect([text.slice(0, 20), view.status.connection, ids(view)]).toEqual([text.slice(0, 20), "live", ids(earlier)]);
    await view.close();
  }
});

it("a cache is private, bounded, and follows no links", async () => {
  await using t = await stage();
  await t.say("one");
  await (await t.follow()).view.close();
  expect([statSync(t.folder).mode & 0o777, statSync(t.file()).mode & 0o777]).toEqual([0o700, 0o600]);
  const text = readFileSync(t.file(), "utf8");
  const elsewhere = join(t.home.home, "elsewhere.json");
  writeFileSync(elsewhere, text);
  const path = t.file();
  rmSync(path);
  symlinkSync(elsewhere, path);
  const { view } = await t.follow();
  expect(view.status.connection).toBe("live");
  await view.close();
  expect([lstatSync(path).isSymbolicLink(), readFileSync(elsewhere, "utf8")]).toEqual([false, text]);
  const store = fileCache(t.folder);
  for (let n = 0; n < 70; n++) await store.write(`key ${n}`, "text");
  expect(readdirSync(t.folder).length).toBe(64);
  await store.write("large", "x".repeat(9_000_000));
  expect(await store.read("large")).toBe(undefined);
});

it("a cache keeps the latest events of a long session", async () => {
  await using t = await stage();
  for (let n = 0; n < 12; n++) await t.say("x".repeat(60_000));
  const { view: earlier } = await t.follow();
  await earlier.close();
  expect(statSync(t.file()).size).toBeLessThan(1_100_000);
  const { client } = held(await t.connect());
  const { view } = await t.follow({ client });
  expect([view.more, view.status.connection]).toEqual([true, "cached"]);
  expect(ids(view)).toEqual(ids(earlier).slice(-view.events.length));
  await view.close();
});

it("a cache that fails has no effect", async () => {
  await using t = await stage();
  await t.say("one");
  const fails = () => Promise.reject(new Error("no room"));
  const { view } = await t.follow({ store: { read: fails, write: fails, remove: fails } });
  expect([view.status.connection, view.events.length]).toEqual(["live", 2]);
  await view.close();
});
