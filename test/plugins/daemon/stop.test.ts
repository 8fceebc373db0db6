import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { lockFile, runFolder } from "../../../plugins/daemon/run-folder.ts";
import { stopDaemon } from "../../../plugins/daemon/stop.ts";
import { inOwnFolder } from "../../../plugins/kit/files/state-folder.ts";
import { identityOf, ownIdentity } from "../../../plugins/kit/process/identity.ts";
import { newId } from "../../../plugins/kit/values/id.ts";
import { isAlive } from "../../processes.ts";
import { testHome } from "../host/home.ts";

it("a host in another container is not stopped: its process id is that of another process here", async () => {
  using home = testHome();
  process.env.HOME = home.home;
  inOwnFolder(runFolder(), () => {});
  const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000); console.log('ready')"]);
  await once(other.stdout, "data");
  const pid = other.pid as number;
  const holder = { ...ownIdentity(), ...identityOf(pid), space: "pid:[1]", since: "today", nonce: newId() };
  writeFileSync(lockFile(), JSON.stringify(holder), { mode: 0o600 });
  try {
    await expect(stopDaemon()).rejects.toMatchObject({ code: "DAEMON_ELSEWHERE" });
    expect(isAlive(pid)).toBe(true);
  } finally {
    other.kill("SIGKILL");
  }
});
