import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import type { FilesService, ProcessEnd, ProcessesService } from "@scorel/local/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { isAlive } from "../processes.ts";

/** An executor with an empty folder. */
export interface Ground extends AsyncDisposable {
  files: FilesService;
  processes: ProcessesService;
  /** The folder, as the executor names it, by its real path. */
  folder: string;
  /** The same folder on this computer's disk. */
  disk: string;
}

/** The test cases that the files and processes of every executor must pass. */
export function executorContract(open: () => Promise<Ground>): void {
  let ground: Ground;
  const at = (name: string) => join(ground.folder, name);
  const disk = (name: string) => join(ground.disk, name);
  beforeAll(async () => {
    ground = await open();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  describe("files", () => {
    it("resolve links, and append what does not exist yet", async () => {
      fs.mkdirSync(disk("real/deep"), { recursive: true });
      fs.symlinkSync("real", disk("link"));
      fs.writeFileSync(disk("plain"), "");
      const real = (name: string) => ground.files.realpath(at(name));
      expect(await Promise.all(["link/deep", "link/new/er", "none"].map(real))).toEqual(
        ["real/deep", "real/new/er", "none"].map(at),
      );
      fs.symlinkSync("gone/away", disk("dangling"));
      expect(await real("dangling")).toBe(at("gone/away"));
      await expect(real("plain/below")).rejects.toMatchObject({ code: "ENOTDIR" });
      fs.symlinkSync("round", disk("round"));
      await expect(real("round")).rejects.toMatchObject({ code: "ELOOP" });
    });

    it("are described with their kind and size, and missing ones with undefined", async () => {
      fs.writeFileSync(disk("five"), "12345");
      fs.linkSync(disk("five"), disk("again"));
      execFileSync("mkfifo", [disk("fifo")]);
      fs.symlinkSync("five", disk("to-five"));
      const info = async (name: string) => {
        const { kind, size } = (await ground.files.stat(at(name))) ?? {};
        return [kind, size];
      };
      expect(await Promise.all(["five", "to-five", ".", "fifo", "none", "five/none"].map(info))).toEqual([
        ["file", 5],
        ["file", 5],
        ["folder", 0],
        ["fifo", 0],
        [undefined, undefined],
        [undefined, undefined],
      ]);
      const [first, second, other] = await Promise.all(
        ["five", "again", "fifo"].map((name) => ground.files.stat(at(name))),
      );
      if (first?.id !== undefined) expect([second?.id, other?.id === first.id]).toEqual([first.id, false]);
    });

    it("are read byte for byte, up to a limit", async () => {
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, each) => (each * 7) % 256));
      fs.writeFileSync(disk("bytes"), bytes);
      const content = await ground.files.read(at("bytes"), { maxBytes: 70_000 });
      expect([content.kind, content.size, Buffer.compare(content.bytes, bytes)]).toEqual(["file", 70_000, 0]);
      await expect(ground.files.read(at("bytes"), { maxBytes: 69_999 })).rejects.toMatchObject({ code: "EFBIG" });
      await expect(ground.files.read(at("none"))).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("are not read through a link, and no writer of a FIFO is waited for", async () => {
      fs.mkdirSync(disk("kept"));
      fs.writeFileSync(disk("kept/secret"), "hidden");
      fs.symlinkSync("kept", disk("to-kept"));
      fs.symlinkSync("kept/secret", disk("to-secret"));
      for (const name of ["to-kept/secret", "to-secret"])
        await expect(ground.files.read(at(name))).rejects.toMatchObject({ code: "ESTALE" });
      execFileSync("mkfifo", [disk("waits")]);
      await expect(ground.files.read(at("waits"))).rejects.toMatchObject({ code: "EINVAL" });
    });

    it("are created with their folders, and replaced with their mode kept", async () => {
      await ground.files.write(at("a/b/new"), Buffer.from("one"), { create: true });
      fs.chmodSync(disk("a/b/new"), 0o750);
      const before = fs.statSync(disk("a/b/new"));
      await ground.files.write(at("a/b/new"), Buffer.from("two"));
      const after = fs.statSync(disk("a/b/new"));
      expect([fs.readFileSync(disk("a/b/new"), "utf8"), after.mode & 0o777]).toEqual(["two", 0o750]);
      expect(after.ino).not.toBe(before.ino);
      await expect(ground.files.write(at("a/none"), Buffer.from(""))).rejects.toMatchObject({ code: "ENOENT" });
      expect(fs.readdirSync(disk("a"), { recursive: true })).toEqual(["b", "b/new"]);
    });

    it("are not written through a link", async () => {
      fs.mkdirSync(disk("guarded"));
      fs.symlinkSync("guarded", disk("to-guarded"));
      fs.symlinkSync("guarded/x", disk("to-x"));
      for (const name of ["to-guarded/x", "to-guarded/new/x", "to-x"])
        await expect(ground.files.write(at(name), Buffer.from("x"), { create: true })).rejects.toMatchObject({
          code: "ESTALE",
        });
      expect(fs.readdirSync(disk("guarded"))).toEqual([]);
    });

    it("are listed, links as links", async () => {
      fs.mkdirSync(disk("list/sub"), { recursive: true });
      fs.writeFileSync(disk("list/file"), "");
      fs.symlinkSync("sub", disk("list/link"));
      const entries = await ground.files.list(at("list"));
      expect(entries.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { name: "file", kind: "file" },
        { name: "link", kind: "link" },
        { name: "sub", kind: "folder" },
      ]);
      await expect(ground.files.list(at("none"))).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("are searched where they are, if the executor can do that", async () => {
      if (!ground.files.search) return;
      fs.mkdirSync(disk("search"));
      fs.writeFileSync(disk("search/a.txt"), "needle\n");
      await using search = await ground.files.search(at("search"));
      let output = "";
      const onOutput = (bytes: Uint8Array) => {
        output += Buffer.from(bytes).toString();
      };
      const args = ["--no-config", "--color=never", "-e", "needle", "--", search.target];
      expect([search.kind, await search.run(args, { onOutput })]).toEqual(["folder", { exitCode: 0, stderr: "" }]);
      expect(output).toMatch(/a\.txt:needle\n$/);
      fs.symlinkSync("search", disk("to-search"));
      await expect(ground.files.search(at("to-search"))).rejects.toMatchObject({ code: "ESTALE" });
    });

    it("are left alone by a call that was aborted", async () => {
      const signal = AbortSignal.abort(new Error("stop"));
      await expect(ground.files.read(at("five"), { signal })).rejects.toThrow("stop");
      await expect(ground.files.write(at("not"), Buffer.from(""), { create: true, signal })).rejects.toThrow("stop");
      expect(fs.existsSync(disk("not"))).toBe(false);
    });
  });

  describe("processes", () => {
    async function run(command: string, cwd = ground.folder): Promise<ProcessEnd & { output: string }> {
      const chunks: Uint8Array[] = [];
      const env = { PATH: process.env.PATH ?? "" };
      const started = await ground.processes.start({ command, cwd, env, onOutput: (bytes) => void chunks.push(bytes) });
      return { ...(await started.ended), output: Buffer.concat(chunks).toString() };
    }

    it("return both outputs in order, the exit code, and a signal", async () => {
      const quiet = { signal: null, leftOpen: false };
      expect(await run("echo one; echo two >&2; echo three; exit 3")).toEqual({
        ...quiet,
        exitCode: 3,
        output: "one\ntwo\nthree\n",
      });
      expect(await run("kill -TERM $$")).toEqual({ exitCode: null, signal: "SIGTERM", leftOpen: false, output: "" });
      expect(await run("cat; echo over")).toEqual({ ...quiet, exitCode: 0, output: "over\n" });
    });

    it("run in their folder, and return all of a large output", async () => {
      fs.mkdirSync(disk("here"));
      const { output } = await run("echo x > made; head -c 300000 /dev/zero | tr '\\0' y", at("here"));
      expect([fs.readdirSync(disk("here")), output.length]).toEqual([["made"], 300_000]);
    });

    it("reject a start that fails", async () => {
      await expect(run("true", at("nowhere"))).rejects.toThrow();
    });

    it("say that something was left behind, and leave it alone", async () => {
      const { leftOpen, output } = await run("sleep 60 & echo $!");
      const pid = Number(output);
      expect([leftOpen, isAlive(pid)]).toEqual([true, true]);
      process.kill(pid, "SIGKILL");
    });

    it("are killed with all that they started", async () => {
      let output = "";
      const started = await ground.processes.start({
        command: "trap '' TERM; sleep 60 & echo $!; wait; sleep 60",
        cwd: ground.folder,
        env: { PATH: process.env.PATH ?? "" },
        onOutput: (bytes) => {
          output += Buffer.from(bytes).toString();
        },
      });
      await eventually(() => expect(output).toMatch(/^\d+\n$/));
      await started.kill();
      expect((await started.ended).signal).toBe("SIGKILL");
      await eventually(() => expect(isAlive(Number(output))).toBe(false));
    });
  });
}
