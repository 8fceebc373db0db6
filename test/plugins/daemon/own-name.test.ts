import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimName, leftNames } from "../../../plugins/daemon/own-name.ts";
import { runFolder } from "../../../plugins/daemon/run-folder.ts";
import { inStateFolder } from "../../../plugins/kit/files/state-folder.ts";
import { testHome } from "../host/home.ts";

it("a name is claimed once at a time, rests when its process has ended, and is free after an hour", () => {
  using _home = testHome();
  expect([claimName("terminal").name, claimName("terminal").name]).toEqual(["terminal", "terminal-2"]);
  const path = join(runFolder(), "terminal.name");
  // As a process has left it that ended a moment ago: this pid began at another time.
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), start: "another" }));
  expect(inStateFolder(runFolder(), leftNames)).toEqual(["terminal.name"]);
  expect(claimName("terminal").name).toBe("terminal-3");
  const before = new Date(Date.now() - 2 * 60 * 60_000);
  utimesSync(path, before, before);
  expect(claimName("terminal").name).toBe("terminal");
  expect(inStateFolder(runFolder(), leftNames)).toEqual([]);
});
