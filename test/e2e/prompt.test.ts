import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { PromptView } from "@scorel/prompt/contract";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { type ModelServer, type Script, startModelServer, text } from "../model-server.ts";
import { modelTable, type Scratch, scratch } from "./scorel.ts";

async function withModel(script: Script, work: (s: Scratch, server: ModelServer) => Promise<void>): Promise<void> {
  using s = scratch();
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl);
  await work(s, server);
}
const ok: Script = () => text("ok");
const system = (server: ModelServer, index: number): string => server.requests[index]?.body.messages[0].content;
const ended = { code: 0, stderr: "" };

describe("a session's instructions", () => {
  it("are identical in every process that starts a session in the same place", () =>
    withModel(ok, async (s, server) => {
      s.file("AGENTS.md", "Write tests first.");
      symlinkSync("AGENTS.md", join(s.project, "CLAUDE.md"));
      s.file("~/.scorel/AGENTS.md", "Be brief.");
      const runs = [await s.run(["-p", "one"]), await s.run(["-p", "two"])];
      expect(runs).toMatchObject([ended, ended]);
      const [first, second] = server.requests.map(({ body }) => JSON.stringify([body.messages[0], body.tools]));
      expect(second).toBe(first);
      expect(system(server, 0).match(/^<instructions from=.*$/gm)).toEqual([
        `<instructions from="${s.home}/.scorel/AGENTS.md">`,
        `<instructions from="${s.project}/AGENTS.md">`,
      ]);
    }));

  it("stay the same when a file changes, which is reported once; a refresh reads the file again", () =>
    withModel(ok, async (s, server) => {
      const file = s.file("AGENTS.md", "Write tests first.");
      await s.run(["-p", "one"]);
      const [log = ""] = s.logs();
      const { sessionId } = scanLog(log).header;
      s.file("AGENTS.md", "Write tests last.");
      const told = await s.run(["-p", "two", "--continue"]);
      expect(told).toMatchObject({
        code: 0,
        stdout: "ok\n",
        stderr: `warning: ${file} has changed since this session read it; it continues with what it was told. \`/refresh-instructions\` or \`scorel prompt refresh ${sessionId}\` reads all instructions again.\n`,
      });
      expect(await s.run(["-p", "three", "--continue"])).toMatchObject(ended);
      const bytes = server.requests.map((_request, index) => system(server, index));
      expect(new Set(bytes).size).toBe(1);
      const refreshed = await s.run(["prompt", "refresh", sessionId.slice(0, 8)]);
      expect(refreshed).toMatchObject({
        ...ended,
        stdout: expect.stringMatching(/^The instructions were read again: \d+ bytes\.\n$/),
      });
      expect(await s.run(["-p", "four", "--continue"])).toMatchObject(ended);
      expect(system(server, 3)).toBe(bytes[0]?.replace("Write tests first.", "Write tests last."));
      expect(server.requests[3]?.text).not.toContain("has changed since");
    }));

  it("are copied with the session, byte for byte", () =>
    withModel(ok, async (s, server) => {
      s.file("AGENTS.md", "Write tests first.");
      await s.run(["-p", "one"]);
      const { sessionId } = scanLog(s.logs()[0] ?? "").header;
      s.file("AGENTS.md", "Write tests last.");
      const copied = await s.run(["-p", "two", "--fork", sessionId]);
      expect(copied).toMatchObject({ code: 0, stderr: expect.stringContaining("AGENTS.md has changed since") });
      expect(system(server, 1)).toBe(system(server, 0));
    }));

  it("can be refreshed within a conversation", () =>
    withModel(ok, async (s, server) => {
      s.file("AGENTS.md", "Write tests first.");
      const started = s.start(["chat"], { input: "one\n/refresh-instructions\ntwo\n" });
      const first = await server.request(0);
      expect(first.text).toContain("Write tests first.");
      const { code, stdout } = await started.finished;
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("The instructions were read again: "),
      });
      expect(stdout).toContain(`Instructions: ${s.project}/AGENTS.md`);
      expect(scanLog(s.logs()[0] ?? "").events.filter(({ type }) => type === "instruction_snapshot")).toHaveLength(2);
    }));

  it("of a project's .scorel folder are used in a run that trusts it", () =>
    withModel(ok, async (s, server) => {
      s.file(".scorel/instructions.md", "Deploy on Fridays.");
      await s.run(["-p", "one"]);
      await s.run(["-p", "two", "--trust"]);
      expect([0, 1].map((index) => system(server, index).includes("Deploy on Fridays."))).toEqual([false, true]);
    }));

  it("are used in a session that is not saved", () =>
    withModel(ok, async (s, server) => {
      s.file("AGENTS.md", "Write tests first.");
      expect(await s.run(["-p", "one", "--no-session"])).toMatchObject(ended);
      expect(system(server, 0)).toContain("Write tests first.");
      expect(existsSync(join(s.home, ".scorel/sessions")) ? s.logs() : []).toEqual([]);
    }));

  it("are used with the offline model, too", async () => {
    using s = scratch({ inProcess: true });
    s.file("AGENTS.md", "Write tests first.");
    expect(await s.run(["-p", "one", "--model", "offline/demo"])).toMatchObject(ended);
    const [snapshot] = scanLog(s.logs()[0] ?? "").events.filter(({ type }) => type === "instruction_snapshot");
    expect(JSON.stringify(snapshot)).toContain("Write tests first.");
  });

  it("in a FIFO are not waited for, and invalid ones are reported", () =>
    withModel(ok, async (s) => {
      execFileSync("mkfifo", [join(s.project, "AGENTS.md")]);
      symlinkSync("/etc/hostname", join(s.project, "CLAUDE.md"));
      const run = await s.run(["-p", "one"]);
      expect(run).toMatchObject({ code: 0, stdout: "ok\n" });
      expect(run.stderr).toMatch(
        /^warning: Not part of the instructions: \S+AGENTS\.md: not a regular file; \S+CLAUDE\.md: a link to/,
      );
    }));
});

describe("scorel prompt show", () => {
  const view = async (s: Scratch, ...args: string[]): Promise<PromptView> =>
    JSON.parse((await s.run(["prompt", "show", "--output", "json", ...args])).stdout) as PromptView;

  it("prints the prompt of a new session in parts, and writes nothing", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("AGENTS.md", "Write tests first.");
    const { code, stdout, stderr } = await s.run(["prompt", "show"]);
    expect({ code, stderr }).toEqual(ended);
    const [head, columns, ...rows] = stdout.slice(0, stdout.indexOf("\n\n")).split("\n");
    expect(head).toBe("A new session would get:");
    expect(columns).toMatch(/^section +priority +bytes +~tokens +source$/);
    expect(rows.map((row) => row.split(/\s+/)[0])).toEqual([
      ...["baseline", "baseline", "agents", "workspace", "environment", "time", "prompt", "tools", "total"],
    ]);
    expect(rows[1]).toMatch(/^baseline +60 +\d+ +\d+ +skills$/);
    expect(rows[2]).toMatch(new RegExp(`^agents +70 +\\d+ +\\d+ +${file}$`));
    expect(existsSync(join(s.home, ".scorel"))).toBe(false);
  });

  it("shows the prompt of a session, and what was left out for lack of room", () =>
    withModel(ok, async (s, server) => {
      const file = s.file("AGENTS.md", "x".repeat(60_000));
      s.file("~/.scorel/config.toml", smallModel(server));
      await s.run(["-p", "one"]);
      const { sessionId } = scanLog(s.logs()[0] ?? "").header;
      rmSync(file);
      const shown = await view(s, "--session", sessionId.slice(0, 8));
      expect(shown).toMatchObject({ frozen: true, text: system(server, 0), budget: 1_200 });
      expect(shown.rows.filter(({ cut }) => cut)).toMatchObject([
        { section: "baseline", source: "skills", priority: 60 },
        { section: "agents", source: file, priority: 70 },
      ]);
      expect(await s.run(["prompt", "show", "--session", "nowhere"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('There is no session "nowhere".'),
      });
    }));

  it.each([
    { what: "without skills", config: 'without = ["skills", "runner"]\n', count: 8, kilobytes: 6 },
    { what: "with the shipped skills", config: "", count: 13, kilobytes: 9 },
  ])("fits into $kilobytes KB with the tools of a coding session $what", async ({ config, count, kilobytes }) => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", config);
    const { bytes, tools } = await view(s, "--preset", "coding");
    console.log(`fixed prompt: ${bytes} bytes of text, ${tools.bytes} bytes of ${tools.count} schemas`);
    expect(tools.count).toBe(count);
    expect(bytes + tools.bytes).toBeLessThanOrEqual(kilobytes * 1_024);
  });
});

it("an extension adds to a prompt", () =>
  withModel(ok, async (s, server) => {
    s.file("~/.scorel/extensions/weather.ts", weather);
    await s.run(["-p", "Is it raining?"]);
    await s.run(["-p", "And now?", "--continue"]);
    const said = server.requests[1]?.body.messages.slice(1).map(({ content }: { content: string }) => content);
    expect(said).toEqual(["Is it raining?", "<system-reminder>\nIt rains.\n</system-reminder>", "ok", "And now?"]);
  }));
const weather = `
export default {
  id: "weather", name: "Weather", version: "1.0.0",
  hooks: () => ({ promptSubmit: async ({ prompt }) => (prompt.includes("rain") ? { context: "It rains." } : undefined) }),
};
`;

/** The scripted model with a context window that has little room. */
function smallModel(server: ModelServer): string {
  return modelTable(server.baseUrl)
    .replace("contextWindow = 128000", "contextWindow = 8000")
    .replace("maxTokens = 8000", "maxTokens = 1000");
}
