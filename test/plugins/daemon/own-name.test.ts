import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimName, leftNames } from "../../../plugins/daemon/own-name.ts";
import { runFolder } from "../../../plugins/daemon/run-folder.ts";
import { inStateFolder } from "../../../plugins/kit/files/state-folder.ts";
import { testHome } from "../host/home.ts";

const path = () => join(runFolder(), "terminal.name");
const names = (open: readonly string[], count: number) =>
  Array.from({ length: count }, () => claimName("terminal", (id) => open.includes(id)).name);

/** Records a name as a killed process has left it: the start time of its pid is another one. */
function killed(): void {
  writeFileSync(path(), JSON.stringify({ ...JSON.parse(readFileSync(path(), "utf8")), start: "another" }));
}

it("names are claimed once, and are free again at once when their processes have ended", () => {
  using _home = testHome();
  const first = claimName("terminal", () => true);
  expect([first.name, ...names([], 1)]).toEqual(["terminal", "terminal-2"]);
  first.ended();
  expect(existsSync(path())).toBe(false);
  expect(names([], 1)).toEqual(["terminal"]);
  killed();
  expect(inStateFolder(runFolder(), leftNames)).toEqual(["terminal.name"]);
  expect(names(["sessionOne"], 2)).toEqual(["terminal", "terminal-3"]);
  expect(inStateFolder(runFolder(), leftNames)).toEqual([]);
});

it("a name is reserved while a session is open in which its process has written, even if the process was killed", () => {
  using _home = testHome();
  const first = claimName("terminal", () => false);
  for (const id of ["sessionOne", "sessionTwo", "sessionOne"]) first.saysIn(id);
  expect(JSON.parse(readFileSync(path(), "utf8")).sessions).toEqual(["sessionOne", "sessionTwo"]);
  first.ended();
  killed();
  expect(names(["sessionTwo"], 2)).toEqual(["terminal-2", "terminal-3"]);
  expect(names(["sessionThree"], 1)).toEqual(["terminal"]);
  // The process that has the name now has sent nothing yet.
  killed();
  expect(names(["sessionTwo"], 1)).toEqual(["terminal"]);
});

it("a damaged file of an ended process does not block its name", () => {
  using _home = testHome();
  claimName("terminal", () => false);
  killed();
  const claim = JSON.parse(readFileSync(path(), "utf8"));
  writeFileSync(path(), JSON.stringify({ ...claim, sessions: ["../one", 7, { id: "sessionTwo" }] }));
  expect(names(["../one", "sessionTwo"], 1)).toEqual(["terminal"]);
});
