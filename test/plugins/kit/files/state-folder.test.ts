import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  inOwnFolder,
  inStateFolder,
  isOwnFolder,
  removeStateFile,
} from "../../../../plugins/kit/files/state-folder.ts";
import { itWith } from "../../../optional.ts";

let root: string;
let folder: string;
let other: string;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-state-")));
  [folder, other] = [join(root, "run"), join(root, "other")];
  for (const each of [folder, other]) {
    fs.mkdirSync(each, { mode: 0o700 });
    fs.writeFileSync(join(each, "log"), each);
  }
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const inPlace = (make: () => void) => {
  fs.rmSync(folder, { recursive: true });
  make();
};

it("reads, writes and removes in a folder of this user, and does nothing without one", async () => {
  expect(inStateFolder(folder, (opened) => opened.names())).toEqual(["log"]);
  inOwnFolder(folder, (opened) => fs.writeFileSync(opened.at("new"), "text"));
  expect(fs.readFileSync(join(folder, "new"), "utf8")).toBe("text");
  removeStateFile(folder, "new");
  removeStateFile(folder, "new");
  expect(await inStateFolder(folder, async (opened) => opened.names())).toEqual(["log"]);
  expect(inStateFolder(join(root, "none"), () => "called")).toBe(undefined);
  inOwnFolder(join(root, "a/b"), () => {});
  expect(fs.statSync(join(root, "a/b")).mode & 0o777).toBe(0o700);
  fs.chmodSync(folder, 0o755);
  inOwnFolder(folder, () => {});
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
});

it("says what to do when the folder cannot be made", () => {
  fs.writeFileSync(join(root, "file"), "");
  const place = join(root, "file/run");
  expect(() => inOwnFolder(place, () => {})).toThrow(
    `The folder ${place} cannot be made: ENOTDIR: not a directory, mkdir '${place}'. Let yourself write in the folder above it, or set HOME to a directory that you own.`,
  );
});

it("goes through no link, and into no folder that others can write to, in any of its functions", () => {
  const strange: [string, () => void][] = [
    ["is a link", () => fs.symlinkSync(other, folder)],
    ["is not a folder", () => fs.writeFileSync(folder, "")],
    ["can be written by other users", () => fs.chmodSync(fs.mkdirSync(folder, { recursive: true }) as string, 0o777)],
  ];
  for (const [reason, make] of strange) {
    inPlace(make);
    const refused = expect.objectContaining({
      code: "STATE_FOLDER",
      message: expect.stringContaining(`${folder} ${reason}`),
    });
    expect(() => inStateFolder(folder, () => {})).toThrow(refused);
    if (reason !== "is not a folder") expect(() => inOwnFolder(folder, () => {})).toThrow(refused);
    removeStateFile(folder, "log");
    expect([isOwnFolder(folder), fs.readdirSync(other)]).toEqual([false, ["log"]]);
  }
});

itWith("linux", "stays in the folder that it has opened when another one is put in its place", () => {
  inStateFolder(folder, (opened) => {
    fs.renameSync(folder, join(root, "moved"));
    fs.symlinkSync(other, folder);
    opened.remove("log");
    fs.writeFileSync(opened.at("new"), "");
  });
  expect([fs.readdirSync(other), fs.readdirSync(join(root, "moved"))]).toEqual([["log"], ["new"]]);
});

it("closes what it has opened, also when the work fails", async () => {
  if (process.platform !== "linux") return;
  const count = () => fs.readdirSync("/proc/self/fd").length;
  const before = count();
  expect(() => inStateFolder(folder, () => JSON.parse("{"))).toThrow(SyntaxError);
  await expect(inStateFolder(folder, async () => JSON.parse("{"))).rejects.toThrow(SyntaxError);
  fs.chmodSync(folder, 0o777);
  expect(() => inStateFolder(folder, () => {})).toThrow();
  expect(count()).toBe(before);
});

it("names the folder's own path in the errors of work with its files", async () => {
  const missing = join(folder, "none");
  const wanted = { code: "ENOENT", path: missing, message: `ENOENT: no such file or directory, open '${missing}'` };
  expect(thrownBy(() => inStateFolder(folder, (opened) => fs.readFileSync(opened.at("none"))))).toMatchObject(wanted);
  expect(
    thrownBy(() => inOwnFolder(folder, (opened) => fs.renameSync(opened.at("none"), opened.at("to")))),
  ).toMatchObject({
    dest: join(folder, "to"),
    message: expect.stringContaining(`'${missing}' -> '${join(folder, "to")}'`),
  });
  await expect(inStateFolder(folder, (opened) => fs.promises.readFile(opened.at("none")))).rejects.toMatchObject(
    wanted,
  );
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

it("there is no folder below a file, and it cannot be made", () => {
  const below = join(folder, "log", "run");
  removeStateFile(below, "old");
  expect([isOwnFolder(below), inStateFolder(below, () => "called")]).toEqual([false, undefined]);
  expect(() => inOwnFolder(below, () => "called")).toThrow(below);
});
