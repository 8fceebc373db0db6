import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inOpenFolder } from "../../../plugins/runner/workspace/open-folder.ts";
import { readOnlyView } from "../../fault/disk.ts";
import { itWith } from "../../optional.ts";
import { ground } from "../skills/setup.ts";

const complaint = (work: () => unknown): Error => {
  try {
    work();
  } catch (thrown) {
    return thrown as Error;
  }
  return expect.unreachable();
};

it("an error of the file system names the entry by its path", () => {
  using g = ground();
  const root = fs.realpathSync(g.home);
  fs.mkdirSync(join(root, "ws/runs/1"), { recursive: true });
  const failed = complaint(() =>
    inOpenFolder(root, join(root, "ws"), "run", (dir) => {
      const runs = dir.folder("runs");
      try {
        fs.mkdirSync(runs.path("1"));
      } finally {
        runs.close();
      }
    }),
  );
  const path = join(root, "ws/runs/1");
  expect(failed).toMatchObject({ message: `EEXIST: file already exists, mkdir '${path}'`, code: "EEXIST", path });
  expect(failed.stack).not.toContain("/proc/");
});

itWith("mounts", "a folder that cannot be made on a read-only file system says why", () => {
  using g = ground();
  const root = fs.realpathSync(g.home);
  using _view = readOnlyView(root);
  const failed = complaint(() => inOpenFolder(root, join(root, "in/it"), "to", () => {}, true));
  expect(failed.message).toBe('to "in/it" cannot be used: its file system is read-only.');
  expect((failed.cause as Error).message).toBe(`EROFS: read-only file system, mkdir '${join(root, "in")}'`);
});
