import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { controlMounts } from "../../../plugins/coding/shell/control-mounts.ts";
import { secondProcess } from "../../second-process.ts";

/** A project with a git folder, a folder for programs, and the names of its files. */
function project() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "scorel-placeholders-")));
  const root = join(dir, "project");
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  writeFileSync(join(root, ".git/config"), "");
  return {
    dir,
    root,
    names: () => [...readdirSync(root), ...readdirSync(join(root, ".git"))].sort(),
    other: () => secondProcess(new URL("./placeholders-main.ts", import.meta.url), dir, [root]),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
const own = [".git", "config", "hooks"];
const all = [".git", ".mcp.json", ".scorel", "commondir", "config", "hooks"];

describe("placeholders for missing control files", () => {
  it("are removed with the last of several commands of a process", async () => {
    using at = project();
    const [one, two] = await Promise.all([controlMounts(at.root), controlMounts(at.root)]);
    await one?.release();
    expect(at.names()).toEqual(all);
    await two?.release();
    expect(at.names()).toEqual(own);
  });

  it("stay while a command of another process needs them, and that one removes them", async () => {
    using at = project();
    await using other = await at.other();
    expect(await other.line()).toBe("protected");
    const { mounts, release } = await controlMounts(at.root);
    expect(mounts).toContainEqual({ path: join(at.root, ".git/commondir"), access: "read" });
    other.child.stdin?.write("release\n");
    expect(await other.line()).toBe("released");
    expect(at.names()).toEqual(all);
    await release();
    expect(at.names()).toEqual(own);
  });

  it("of a process that was killed are removed by the next command", async () => {
    using at = project();
    const other = await at.other();
    expect(await other.line()).toBe("protected");
    await other.kill();
    expect(at.names()).toEqual(all);
    const { release } = await controlMounts(at.root);
    await release();
    expect(at.names()).toEqual(own);
  });

  it("of a process that was killed do not matter when the git folder is gone or the record is damaged", async () => {
    using at = project();
    const other = await at.other();
    await other.line();
    await other.kill();
    rmSync(join(at.root, ".git"), { recursive: true });
    const { release } = await controlMounts(at.root);
    expect(readdirSync(at.root).sort()).toEqual([".mcp.json", ".scorel"]);
    const records = join(homedir(), ".scorel/cache/placeholders");
    for (const name of readdirSync(records)) writeFileSync(join(records, name), "{");
    await release();
    const next = await controlMounts(at.root);
    expect(next.mounts.map(({ path }) => path)).toEqual([".scorel", ".mcp.json"].map((name) => join(at.root, name)));
    await next.release();
  });

  it("are left where a user has put files of their own in their place", async () => {
    using at = project();
    const { release } = await controlMounts(at.root);
    writeFileSync(join(at.root, ".scorel/config.toml"), "");
    await release();
    expect(at.names()).toEqual([".git", ".scorel", "config", "hooks"]);
  });
});
