import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { removeSocketOf, socketOf } from "../../../plugins/daemon/run-folder.ts";
import { identityOf, ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { testHome } from "../host/home.ts";

const listening = "require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))";

/** Starts a process that listens on its socket as a host does; returns its identity. */
async function listener() {
  const starting = spawn("sleep", ["60"]);
  const about = { ...ownIdentity(), ...identityOf(starting.pid as number) };
  const path = socketOf(about);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const child = spawn(process.execPath, ["-e", listening, path]);
  await once(child.stdout, "data");
  const kill = async () => {
    for (const one of [child, starting]) {
      const ended = once(one, "exit");
      one.kill("SIGKILL");
      await ended;
    }
  };
  return { about, path, kill };
}

it("removes the socket of a process that was killed, and never one that is running", async () => {
  using _home = testHome();
  const { about, path, kill } = await listener();
  removeSocketOf(about);
  expect(existsSync(path)).toBe(true);
  await kill();
  removeSocketOf(about);
  expect(existsSync(path)).toBe(false);
  removeSocketOf(about);
});

it("touches nothing else in its place: no file, and no socket behind a link", async () => {
  using home = testHome();
  const { about, path, kill } = await listener();
  await kill();
  removeSocketOf(about);
  writeFileSync(path, "mine");
  removeSocketOf(about);
  expect(existsSync(path)).toBe(true);
  const other = createServer().listen(`${home.home}/other.sock`);
  await once(other, "listening");
  const linked = { ...about, start: `${about.start}1` };
  symlinkSync(`${home.home}/other.sock`, socketOf(linked));
  removeSocketOf(linked);
  expect([existsSync(socketOf(linked)), existsSync(`${home.home}/other.sock`)]).toEqual([true, true]);
  other.close();
});
