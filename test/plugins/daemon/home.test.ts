import { mkdirSync, rmdirSync } from "node:fs";
import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import type { DaemonContext } from "../../../plugins/daemon/context.ts";
import { Home } from "../../../plugins/daemon/home.ts";
import { lockFile, runFolder } from "../../../plugins/daemon/run-folder.ts";
import { inOwnFolder } from "../../../plugins/kit/files/state-folder.ts";
import { testHome } from "../host/home.ts";

it("after a failure to look for the host, the next request looks again", async () => {
  using scratch = testHome();
  process.env.HOME = scratch.home;
  inOwnFolder(runFolder(), () => {});
  const own = {} as Client;
  const home = new Home({ launch: {} } as DaemonContext, { name: "terminal", own, changed() {} });
  mkdirSync(lockFile());
  await expect(home.get()).rejects.toMatchObject({ code: "EISDIR" });
  rmdirSync(lockFile());
  expect(await home.get()).toBe(own);
});
