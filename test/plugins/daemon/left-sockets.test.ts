import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nameOwner, removeLeftSockets } from "../../../plugins/daemon/left-sockets.ts";
import { runFolder, socketOf } from "../../../plugins/daemon/run-folder.ts";
import { identityOf, ownIdentity, type ProcessIdentity, placeOf } from "../../../plugins/kit/process/identity.ts";
import { secondProcess } from "../../second-process.ts";
import { testHome } from "../host/home.ts";

/** A home, and processes that listen on sockets in it. */
function stage() {
  const home = testHome();
  mkdirSync(runFolder(), { recursive: true, mode: 0o700 });
  const children: ChildProcess[] = [];
  return {
    folder: home.home,
    files: () => readdirSync(runFolder()).sort(),
    /** Starts a process that listens on the socket named after its identity; returns both. */
    async listen(): Promise<{ identity: ProcessIdentity; socket: string; kill(): Promise<void> }> {
      // The name depends on the identity of the process, so the process waits for the path.
      const child = spawn(process.execPath, [
        "-e",
        `process.stdin.once("data", (path) => {
        require("node:net").createServer().listen(String(path), () => process.stdout.write("ready"));
      })`,
      ]);
      children.push(child);
      const identity = { ...ownIdentity(), ...identityOf(child.pid as number), ...placeOf() };
      const socket = socketOf(identity);
      child.stdin?.write(socket);
      await once(child.stdout as NonNullable<typeof child.stdout>, "data");
      nameOwner(identity);
      return {
        identity,
        socket,
        kill: async () => {
          child.kill("SIGKILL");
          await once(child, "exit");
        },
      };
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
      home[Symbol.dispose]();
    },
  };
}

const failed = (thrown: unknown) => {
  throw thrown;
};

it("removes the sockets of processes that were killed, and no others", async () => {
  using t = stage();
  const [killed, lives] = [await t.listen(), await t.listen()];
  const both = t.files();
  removeLeftSockets(failed);
  expect(t.files()).toEqual(both);
  await killed.kill();
  expect(t.files()).toEqual(both);
  removeLeftSockets(failed);
  const name = lives.socket.slice(runFolder().length + 1, -".sock".length);
  expect(t.files()).toEqual([`${name}.process`, `${name}.sock`]);
});

it("several processes clean up at once, and none of them fails", async () => {
  using t = stage();
  const [lives, ...killed] = await Promise.all(Array.from({ length: 9 }, () => t.listen()));
  await Promise.all(killed.map((each) => each.kill()));
  const script = new URL("cleaner.ts", import.meta.url);
  const cleaners = await Promise.all(Array.from({ length: 3 }, () => secondProcess(script, t.folder, [])));
  for (const cleaner of cleaners) expect(await cleaner.line()).toBe("ready");
  for (const cleaner of cleaners) cleaner.child.stdin?.write("go\n");
  expect(await Promise.all(cleaners.map((cleaner) => cleaner.line()))).toEqual(["[]", "[]", "[]"]);
  for (const cleaner of cleaners) await cleaner.kill();
  const name = (lives?.socket ?? "").slice(runFolder().length + 1, -".sock".length);
  expect(t.files()).toEqual([`${name}.process`, `${name}.sock`]);
});

it("distinguishes a process from a later one with its pid, and does not touch sockets of other computers", async () => {
  using t = stage();
  const lives = await t.listen();
  const others: ProcessIdentity[] = [
    // A reused pid, a computer that has restarted, and a home that two computers share.
    { ...lives.identity, start: `${Number(lives.identity.start) - 5}` },
    { ...lives.identity, boot: "an earlier one" },
    { ...lives.identity, boot: "another one", machine: "elsewhere" },
  ];
  for (const each of others) nameOwner(each);
  expect(t.files()).toHaveLength(5);
  removeLeftSockets(failed);
  const owners = [lives.identity, others[2] as ProcessIdentity].map((each) =>
    socketOf(each).replace(/sock$/, "process"),
  );
  expect(t.files().map((name) => join(runFolder(), name))).toEqual([...owners, lives.socket].sort());
});

it("touches nothing that is not a socket, and ignores a file whose name does not belong to its process", async () => {
  using t = stage();
  const killed = await t.listen();
  await killed.kill();
  removeLeftSockets(failed);
  writeFileSync(killed.socket, "a file");
  nameOwner(killed.identity);
  writeFileSync(join(runFolder(), "0123456789abcdef.process"), JSON.stringify(killed.identity));
  writeFileSync(join(runFolder(), "torn.process"), '{"pid":');
  removeLeftSockets(failed);
  const name = killed.socket.slice(runFolder().length + 1);
  expect(t.files()).toEqual(["0123456789abcdef.process", "torn.process", name].sort());
});
