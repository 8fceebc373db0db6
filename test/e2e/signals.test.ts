import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

/** Starts a turn whose model has sent "so far", and continues only when the test allows it. */
async function waiting(s: Scratch, env: Record<string, string> = {}) {
  const end = gate();
  const server = await startModelServer([[text("so far"), delayUntil(end.promise), text(" and on")]]);
  s.useModel(server.baseUrl);
  const running = s.start(["-p", "hi", "--output", "events"], { env });
  await running.line((line) => line.includes('"text_delta"'));
  return {
    running,
    goOn: end.open,
    async [Symbol.asyncDispose]() {
      end.open();
      await server[Symbol.asyncDispose]();
    },
  };
}

const leftovers = ({ home }: Scratch) => {
  const folder = join(home, ".scorel/sessions");
  return existsSync(folder) ? readdirSync(folder).filter((name) => /\.(lock|partial)$/.test(name)) : [];
};
/** The text in the log, and whether the log marks it as partial. */
const kept = (s: Scratch) =>
  records(s.logs()[0] as string).flatMap(({ message }) => {
    const { role, content, partial } = (message ?? {}) as {
      role?: string;
      content?: { text?: string }[];
      partial?: true;
    };
    return role === "assistant" ? [{ text: content?.map((block) => block.text).join(""), partial }] : [];
  });

describe("a signal", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
  ] as const)("%s stops everything in order, saves the partial reply, and exits %i", async (signal, code) => {
    using s = scratch();
    await using turn = await waiting(s);
    turn.running.child.kill(signal);
    expect(await turn.running.finished).toMatchObject({
      ...{ code, signal: null },
      stderr: expect.stringMatching(/^Interrupted\. To continue in this session: scorel --session \w+\n$/),
    });
    expect({ kept: kept(s), leftovers: leftovers(s) }).toEqual({
      kept: [{ text: "so far", partial: true }],
      leftovers: [],
    });
  });

  it("SIGINT cancels the turn, saves the partial reply, and exits 130", async () => {
    using s = scratch();
    await using turn = await waiting(s);
    turn.running.child.kill("SIGINT");
    expect(await turn.running.finished).toMatchObject({ code: 130, signal: null });
    expect({ kept: kept(s), leftovers: leftovers(s) }).toEqual({
      kept: [{ text: "so far", partial: true }],
      leftovers: [],
    });
  });

  it("SIGINT, sent twice, ends what does not stop by itself", async () => {
    using s = scratch();
    s.file(
      "~/.scorel/extensions/clinging.ts",
      'export default { id: "clinging", name: "x", version: "1", deactivate: () => new Promise(() => {}) };',
    );
    await using turn = await waiting(s);
    turn.running.child.kill("SIGINT");
    await turn.running.line((line) => line.includes('"runtime_end"'));
    turn.running.child.kill("SIGINT");
    expect(await turn.running.finished).toMatchObject({ code: 130, signal: null });
    expect(kept(s)).toEqual([{ text: "so far", partial: true }]);
  });
});

describe("a closed terminal", () => {
  /** Takes a moment to stop, so that a second signal arrives during the stop. */
  const slow = `export default {
    id: "slow", name: "x", version: "1", deactivate: () => new Promise((done) => setTimeout(done, 300)),
  };`;

  it.each([
    ["SIGHUP", 129],
    ["SIGTERM", 143],
  ] as const)("sends two signals, which do not interrupt a stop that %s began", async (first, code) => {
    using s = scratch();
    s.file("~/.scorel/extensions/slow.ts", slow);
    await using turn = await waiting(s);
    turn.running.child.kill(first);
    await turn.running.line((line) => line.includes('"runtime_end"'));
    turn.running.child.kill("SIGHUP");
    expect(await turn.running.finished).toMatchObject({ code, signal: null });
    expect({ kept: kept(s), leftovers: leftovers(s) }).toEqual({
      kept: [{ text: "so far", partial: true }],
      leftovers: [],
    });
  });
});

describe("a reader that closes the output", () => {
  it("cancels the turn without an error", async () => {
    using s = scratch();
    await using turn = await waiting(s);
    turn.running.child.stdout?.destroy();
    turn.goOn();
    const { stderr, signal } = await turn.running.finished;
    expect({ stderr, signal, leftovers: leftovers(s) }).toEqual({ stderr: "", signal: null, leftovers: [] });
  });
});

describe("a plugin's uncaught error", () => {
  const failing = (s: Scratch, how: string) =>
    s.file(
      "~/.scorel/extensions/stray.ts",
      `export default {
        id: "stray", name: "x", version: "1",
        onEvent(event) { if (event.type === "text_delta") { ${how} } },
      };`,
    );

  it("in an unhandled rejection is reported with the plugin, and the turn goes on", async () => {
    using s = scratch();
    const file = failing(s, "void Promise.reject(new Error('dropped'));");
    await using turn = await waiting(s);
    turn.goOn();
    const { code, stderr } = await turn.running.finished;
    expect(code).toBe(0);
    expect(stderr).toContain('warning: Plugin "stray" failed in a promise that nobody awaits: dropped');
    expect(stderr).toContain(file);
    expect(kept(s)).toEqual([{ text: "so far and on", partial: undefined }]);
  });

  it("in a timer is reported with the plugin, and the turn goes on", async () => {
    using s = scratch();
    const file = failing(s, "setTimeout(() => { throw new Error('late'); });");
    await using turn = await waiting(s);
    // The open session reports the failure; later, only the process could.
    await turn.running.line((line) => line.includes('"plugin_failure"'));
    turn.goOn();
    const { code, stderr } = await turn.running.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`warning: Plugin "stray" failed in a timer or callback: late (${file}:3)`);
    expect(kept(s)).toEqual([{ text: "so far and on", partial: undefined }]);
  });

  it("outside of extension files ends the process in order, and saves the partial reply", async () => {
    using s = scratch();
    failing(s, "");
    const ours = s.file("ours.mjs", 'process.on("SIGUSR2", () => { throw new Error("ours"); });');
    await using turn = await waiting(s, { NODE_OPTIONS: `--import ${ours}` });
    turn.running.child.kill("SIGUSR2");
    const { code, stderr } = await turn.running.finished;
    expect(code).toBe(1);
    expect(stderr).toContain("scorel: PROCESS_UNEXPECTED: An unhandled error ended the process: ours.");
    expect({ kept: kept(s), leftovers: leftovers(s) }).toEqual({
      kept: [{ text: "so far", partial: true }],
      leftovers: [],
    });
  });
});
