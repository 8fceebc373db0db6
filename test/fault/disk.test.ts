import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectHost, followSession } from "@scorel/host/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../plugins/logs/scan.ts";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { scratch } from "../e2e/scorel.ts";
import { testHeader } from "../harness.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type SecondProcess, secondProcess } from "../second-process.ts";
import { limitedFiles, readOnlyView, type SmallDisk, smallFileSystem } from "./disk.ts";

const KILOBYTES = 64;
const room = KILOBYTES * 1024;
const demo = ["--model", "offline/demo"];

/**
 * The available ways to simulate a full disk: a limit on file sizes, and where it can be mounted, a small file system.
 */
const disks: [string, () => SmallDisk][] = [["a limit on the size of files", () => limitedFiles(KILOBYTES)]];
{
  using trial = smallFileSystem(KILOBYTES);
  if (trial) disks.push(["a full file system", () => smallFileSystem(KILOBYTES) as SmallDisk]);
}

let programs: string;
beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), "scorel-programs-"));
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

const run = (disk: SmallDisk, path: string) =>
  secondProcess(new URL("log-runner.ts", import.meta.url), programs, [path], { through: disk.through });
async function append(process: SecondProcess, n: number, length: number): Promise<{ seq?: number; code?: string }> {
  process.child.stdin?.write(`${n} ${length}\n`);
  return JSON.parse(await process.line()) as { seq?: number; code?: string };
}
function stored(path: string): { n: number; seq: number }[] {
  const { events, problems } = scanLog(path);
  expect(problems).toEqual([]);
  return events.map(({ seq, ...event }) => ({
    n: Number.parseInt((event as unknown as { text: string }).text, 10),
    seq,
  }));
}

describe.each(disks)("a disk that is full by %s", (_what, disk) => {
  it("refuses what does not fit, keeps earlier events, and accepts what fits again", async () => {
    using small = disk();
    const path = join(small.directory, "s.jsonl");
    await using runner = await run(small, path);
    expect(await runner.line()).toBe("ready");
    const kept: { n: number; seq: number | undefined }[] = [];
    for (let n = 0; n < 40; n++) {
      const before = n === 0 ? 0 : statSync(path).size;
      const length = n % 4 === 3 ? room : 1000;
      const { seq, ...refused } = await append(runner, n, length);
      if (length === 1000) kept.push({ n, seq });
      else {
        expect(refused).toEqual({
          code: "STORE_WRITE",
          message: expect.stringMatching(new RegExp(`${path} could not be written \\(.*: ${small.reason}\\)`)),
        });
        expect(statSync(path).size).toBe(before);
      }
    }
    await runner.kill();
    expect(stored(path)).toEqual(kept);
    const seqs = kept.map(({ seq }) => seq as number);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  it("leaves no empty log when the first event does not fit, and starts one with the next", async () => {
    using small = disk();
    const path = join(small.directory, "s.jsonl");
    await using runner = await run(small, path);
    await runner.line();
    expect(await append(runner, 0, 2 * room)).toMatchObject({ code: "STORE_WRITE" });
    expect(readdirSync(small.directory)).toEqual([]);
    const { seq } = await append(runner, 1, 10);
    await runner.kill();
    expect(stored(path)).toEqual([{ n: 1, seq }]);
  });

  it("loses nothing acknowledged when the process is killed", async () => {
    using small = disk();
    const path = join(small.directory, "s.jsonl");
    const kept: { n: number; seq: number | undefined }[] = [];
    {
      await using runner = await run(small, path);
      await runner.line();
      for (let n = 0; ; n++) {
        const { seq, code } = await append(runner, n, 3000);
        if (code !== undefined) break;
        kept.push({ n, seq });
      }
      await runner.kill();
    }
    expect(kept.length).toBeGreaterThan(10);
    expect(stored(path)).toEqual(kept);
  });
});

describe("the command on a full disk", () => {
  it("fails a turn that cannot be saved, with the reason, and keeps what came before", async () => {
    using s = scratch();
    using limit = limitedFiles(8);
    s.file("big.txt", "long line of a long file\n".repeat(2000));
    const before = await s.run(["-p", "run echo before", ...demo]);
    expect(before.code).toBe(0);
    const [log = ""] = s.logs();
    const events = scanLog(log).events.length;
    const failed = await s.run(["-p", "read big.txt", "--continue", ...demo], { through: limit.through });
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /jsonl could not be written \(files may not become that long there: EFBIG\).*free space/,
      ),
    });
    expect(await s.run(["-p", "run echo after", "--continue", ...demo])).toMatchObject({ code: 0, stderr: "" });
    const after = scanLog(log);
    expect(after.problems).toEqual([]);
    expect(after.events.length).toBeGreaterThan(events);
  });

  it("continues a conversation as soon as there is room", async () => {
    using s = scratch();
    using limit = limitedFiles(8);
    s.file("big.txt", "long line of a long file\n".repeat(2000));
    const said = await s.run(["chat", ...demo], {
      through: limit.through,
      input: "run echo one\nread big.txt\nrun echo two\n",
    });
    expect(said.stdout).toMatch(
      /one[\s\S]*jsonl could not be written[\s\S]*The session is being saved again\.[\s\S]*two/,
    );
    expect(said.code).toBe(1);
    const [log = ""] = s.logs();
    expect(scanLog(log).problems).toEqual([]);
  });

  const mounted = disks.length > 1;
  it.each(mounted ? ["a file system"] : [])(
    "reports that %s has no room for a session, and starts one when it has",
    async () => {
      using s = scratch();
      // Compiled code is also written there; without room beside it, nothing would be free later.
      using small = smallFileSystem(512 * KILOBYTES) as SmallDisk;
      const env = { HOME: small.directory };
      expect((await s.run(["-p", "run echo one", ...demo], { env })).code).toBe(0);
      small.fill?.();
      const sessions = join(small.directory, ".scorel/sessions");
      const files = readdirSync(sessions);
      for (const more of [[], ["--continue"]]) {
        const refused = await s.run(["-p", "run echo two", ...more, ...demo], { env });
        expect(refused).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/\(no room is left on its disk: ENOSPC\).*[Ff]ree space/),
        });
      }
      expect(readdirSync(sessions)).toEqual(files);
      const [id] = files.map((name) => name.split(".")[0] as string);
      for (const [words, place] of [
        [["session", "delete", id as string], `.scorel/sessions/${id}.lock`],
        [["host", "install"], ".config/systemd/user/scorel-host.service"],
        [["host", "serve"], ".scorel/run/host.log"],
      ] as const) {
        const { code, stderr } = await s.run(words, { env });
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining(`${join(small.directory, place)} could not be written: no room is left on its disk`),
        ]);
        expect(stderr).toContain(`free space in ${dirname(join(small.directory, place))}`);
      }
      expect(await s.run(["session", "list"], { env })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("run echo one"),
      });
      small.free?.();
      expect(await s.run(["-p", "run echo two", "--continue", ...demo], { env })).toMatchObject({
        code: 0,
        stderr: "",
      });
    },
  );
});

describe("a command whose log is deleted while it is open", () => {
  it("writes nothing to the deleted file, and tells where its bytes still are", async () => {
    using s = scratch();
    // As a script file, since a command that names ~/.scorel is refused.
    s.file("remove.sh", `rm ${join(s.home, ".scorel/sessions")}/*.jsonl`);
    const remove = "run sh remove.sh";
    const gone = /jsonl was deleted or replaced while it was open.*start a new one/;
    const turn = await s.run(["-p", remove, ...demo]);
    expect(turn).toMatchObject({ code: 1, stderr: expect.stringMatching(gone) });
    expect(s.logs()).toEqual([]);
    // The conversation stays readable; new messages are refused, not silently lost.
    const said = await s.run(["chat", ...demo], { input: `${remove}\nrun echo two\n` });
    expect(said).toMatchObject({ code: 1, stdout: expect.stringMatching(gone) });
    expect(`${said.stdout}${said.stderr}`.match(/was deleted or replaced/g)?.length).toBeGreaterThan(1);
    expect(s.logs()).toEqual([]);
  });
});

/** Ways to prevent creating a file beside the log. */
const obstacles: [string, (folder: string) => Disposable][] = [
  ["may only be read", (folder) => closed(folder)],
  ...disks.slice(1).map(([what]): [string, typeof filled] => [`is on ${what}`, filled]),
];

describe("a log with an incomplete last record", () => {
  it.each(obstacles)(
    "in a folder that %s is not opened, and stays unchanged until it can be",
    async (_what, obstruct) => {
      using place = disks.at(-1)?.[1]() as SmallDisk;
      const path = join(place.directory, "s.jsonl");
      const fresh = createJsonlStore(path, { create: testHeader });
      fresh.open();
      fresh.append([JSON.stringify({ type: "note", id: "note000000000001", parentId: null, seq: 1, text: "a" })]);
      await fresh.close();
      appendFileSync(path, '{"type":"no');
      const before = readFileSync(path);
      const files = readdirSync(place.directory);
      const reopen = async () => {
        const store = createJsonlStore(path);
        const { ledger } = store.open();
        await store.close();
        return ledger.size;
      };
      {
        using _obstacle = obstruct(place.directory);
        await expect(reopen()).rejects.toMatchObject({ code: "STORE_OPEN", data: { path } });
      }
      expect([readFileSync(path), readdirSync(place.directory)]).toEqual([before, files]);
      expect(await reopen()).toBe(1);
      expect(readFileSync(join(place.directory, "s.torn-1"), "utf8")).toBe('{"type":"no');
    },
  );
});

describe("a read-only home", () => {
  it("allows reading sessions, and refuses a turn with the reason", async () => {
    using s = scratch();
    expect((await s.run(["-p", "run echo one", ...demo])).code).toBe(0);
    const [log = ""] = s.logs();
    const id = log.slice(log.lastIndexOf("/") + 1, -".jsonl".length);
    const before = readdirSync(join(s.home, ".scorel/sessions"));
    using _closed = closed(s.home, ".scorel", ".scorel/sessions");
    for (const more of [[], ["--continue"]]) {
      const refused = await s.run(["-p", "run echo two", ...more, ...demo]);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/could not be written \((EROFS|EACCES)\)/),
      });
      // Only a stored session can be shown.
      expect(refused.stderr.includes("session show")).toBe(more.length > 0);
    }
    const host = await s.run(["host", "serve"]);
    expect(host).toMatchObject({ code: 1, stderr: expect.stringContaining(join(s.home, ".scorel")) });
    expect(host.stderr).not.toContain("/proc/");
    for (const look of [["list"], ["show", id], ["context", id], ["events", id], ["verify", id]])
      expect(await s.run(["session", ...look])).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(join(s.home, ".scorel/sessions"))).toEqual(before);
  });
});

describe("an invalid home", () => {
  it("is reported when ~/.scorel is a file", async () => {
    using s = scratch();
    s.file("~/.scorel", "");
    for (const command of [
      ["-p", "run echo one", ...demo],
      ["session", "list"],
    ])
      expect(await s.run(command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${join(s.home, ".scorel")}`),
      });
  });

  it.each(["", "here"])("is refused when HOME is %j, and no folder is created in the project", async (HOME) => {
    using s = scratch();
    for (const command of [
      ["-p", "run echo one", ...demo],
      ["session", "list"],
      ["chat", ...demo],
    ])
      expect(await s.run(command, { env: { HOME } })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/no home directory.*not a full path.*Set HOME/),
      });
    expect(existsSync(join(s.project, ".scorel"))).toBe(false);
    expect((await s.run(["--version"], { env: { HOME } })).code).toBe(0);
  });

  it("is refused when HOME is not set and the system knows no home of the user", () => {
    // Root can switch to a user that the system does not know; other users test a HOME that is not an absolute path.
    const root = process.getuid?.() === 0;
    const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [bin, "-p", "run echo one", ...demo], {
      cwd: "/",
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...(!root && { HOME: "" }) },
      ...(root && { uid: 54_321, gid: 54_321 }),
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("There is no home directory") });
  });
});

/** Root can write whatever the mode is, so a read-only file system is mounted; for others, the mode is enough. */
function closed(directory: string, ...below: string[]): Disposable {
  const view = readOnlyView(directory);
  if (view) return view;
  const folders = [directory, ...below.map((name) => join(directory, name))];
  const setMode = (mode: number) => {
    for (const folder of folders) chmodSync(folder, mode);
  };
  setMode(0o500);
  return { [Symbol.dispose]: () => setMode(0o700) };
}

/** Uses up the room of a small file system. */
function filled(directory: string): Disposable {
  const filler = join(directory, "filler");
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  return { [Symbol.dispose]: () => rmSync(filler) };
}

{
  using trial = smallFileSystem(KILOBYTES);
  const where = trial ? ["a file system"] : [];
  it.each(where)(
    "a project on %s that is full fails the call for all clients of the session, and continues once there is room",
    async () => {
      using s = scratch();
      using small = smallFileSystem(KILOBYTES) as SmallDisk;
      const write = toolCall("Write", { file_path: "a.txt", content: "words\n".repeat(2_000) });
      await using server = await startModelServer([write, text("It failed."), write, text("It is there.")]);
      s.useModel(server.baseUrl);
      const host = s.start(["host", "serve", "--foreground"]);
      await host.line((line) => line.startsWith("socket: "));
      const connect = () =>
        connectHost({
          dial: () => {
            const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
            return dialSocket(addresses[0].address);
          },
          version: "1.0.0",
        });
      const [writer, watcher] = await Promise.all([connect(), connect()]);
      const { sessionId } = await writer.request("create_session", { cwd: small.directory, permission: "full" });
      const views = await Promise.all([writer, watcher].map((client) => followSession(client, sessionId)));
      const ask = async (content: string) => {
        const { id } = await writer.request("send_message", { sessionId, content });
        const outcome = await writer.request("wait_turn", { sessionId, id });
        await Promise.all([writer, watcher].map((client) => client.drained(sessionId)));
        return outcome;
      };
      small.fill?.();
      expect(await ask("write")).toMatchObject({ reason: "completed", text: "It failed." });
      const [own, others] = views.map((view) => view.rows.map(({ display }) => display));
      expect(others).toEqual(own);
      expect(own).toContainEqual(
        expect.objectContaining({
          display: "card",
          status: "error",
          text: expect.stringMatching(/ENOSPC|no space|full/i),
        }),
      );
      expect(existsSync(join(small.directory, "a.txt"))).toBe(false);
      small.free?.();
      expect(await ask("again")).toMatchObject({ reason: "completed", text: "It is there." });
      expect(readFileSync(join(small.directory, "a.txt"), "utf8")).toBe("words\n".repeat(2_000));
      expect(views[1]?.rows.map(({ display }) => display)).toEqual(views[0]?.rows.map(({ display }) => display));
      await Promise.all([writer.close(), watcher.close()]);
      host.child.kill("SIGTERM");
      await host.finished;
    },
  );
}
