import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endSurvivors, Ledger, ledgerFolder } from "../../../../plugins/kit/process/ledger.ts";
import { MARK } from "../../../../plugins/kit/process/tree.ts";
import { codeOf } from "../../../../plugins/kit/values/coded-error.ts";
import { type SmallDisk, smallFileSystem } from "../../../fault/disk.ts";
import { describeWith, itWith } from "../../../optional.ts";
import { isAlive } from "../../../processes.ts";

const never = (thrown: unknown) => {
  throw thrown;
};

describeWith("linux", "the list of commands", () => {
  it.each([
    ["on the list", true],
    ["that had only begun to start", false],
  ])("a command %s is ended once its owner is gone, and not before", async (_what, isRecorded) => {
    const home = mkdtempSync(join(tmpdir(), "scorel-kit-"));
    const [folder, mark] = [ledgerFolder(home), `test-ledger-${process.pid}`];
    const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore", env: { ...process.env, [MARK]: mark } });
    try {
      await once(child, "spawn");
      const ledger = new Ledger(folder, "session", never);
      ledger.expect(mark);
      if (isRecorded) ledger.add(child.pid as number, mark);
      const path = join(folder, "session.json");
      expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
      await endSurvivors(folder, never);
      expect(isAlive(child.pid as number)).toBe(true);
      const page = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...page, owner: { ...page.owner, pid: 2 ** 30 } }));
      await endSurvivors(folder, never);
      expect([isAlive(child.pid as number), readdirSync(folder)]).toEqual([false, []]);
      ledger.clear();
    } finally {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      rmSync(home, { recursive: true });
    }
    expect(existsSync(home)).toBe(false);
  });
});

it("a damaged list, as a power cut can leave, is removed once nobody can be writing it", async () => {
  const home = mkdtempSync(join(tmpdir(), "scorel-kit-"));
  const folder = ledgerFolder(home);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of [
    ["old", '{"owner":{"pid"'],
    ["empty", ""],
    ["new", '{"owner":{"pid"'],
  ] as const)
    writeFileSync(join(folder, `${name}.json`), text);
  for (const name of ["old", "empty"]) utimesSync(join(folder, `${name}.json`), 0, 0);
  const reported: string[] = [];
  await endSurvivors(folder, (thrown) => void reported.push((thrown as Error).name));
  expect([readdirSync(folder), reported]).toEqual([["new.json"], ["SyntaxError"]]);
  rmSync(home, { recursive: true });
});

itWith("mounts", "commands are recorded again once the disk has room, and nothing else is left behind", () => {
  using disk = smallFileSystem(64) as SmallDisk;
  const reported: unknown[] = [];
  const ledger = new Ledger(disk.directory, "session", (thrown) => void reported.push(codeOf(thrown)));
  disk.fill?.();
  ledger.expect("first");
  disk.free?.();
  expect([reported, readdirSync(disk.directory)]).toEqual([["ENOSPC"], []]);
  ledger.expect("second");
  const page = JSON.parse(readFileSync(join(disk.directory, "session.json"), "utf8"));
  expect(page.commands).toEqual(["first", "second"].map((mark) => ({ pid: 0, start: "", mark })));
  ledger.clear();
  expect(readdirSync(disk.directory)).toEqual([]);
});
