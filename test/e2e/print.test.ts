import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { delayUntil, finish, gate, type Script, startModelServer, status, text } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

/** Runs tests in a home with a scripted model. */
async function withModel(script: Script, work: (s: Scratch) => Promise<void>): Promise<void> {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl);
  await work(s);
}
const none = ["--preset", "none"];
const asLines = (stdout: string) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The line that an interrupted run prints about the session with this log. */
function interruptedIn(log: string): string {
  const id = basename(log, ".jsonl");
  return `Interrupted. To continue in this session: scorel --preset none --session ${id}\n`;
}

describe("scorel -p", () => {
  it("prints the final text and nothing else", () =>
    withModel([text("Hello there")], async (s) => {
      expect(await s.run([...none, "-p", "hi"])).toEqual({
        code: 0,
        signal: null,
        stdout: "Hello there\n",
        stderr: "",
      });
    }));

  it("appends piped input to the prompt", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("ok"), text("ok")]);
    s.useModel(server.baseUrl);
    await s.run([...none, "-p", "Summarise:"], { input: "line one\nline two\n" });
    await s.run([...none, "-p", ""], { input: "only this" });
    const asked = server.requests.map(({ body }) => body.messages.at(-1).content);
    expect(asked).toEqual(["Summarise:\n\nline one\nline two", "only this"]);
  });

  it("prints one JSON object with --output json", () =>
    withModel([text("Hello there")], async (s) => {
      const { code, stdout } = await s.run([...none, "-p", "hi", "--output", "json"]);
      const [log = ""] = s.logs();
      expect({ code, printed: JSON.parse(stdout) }).toEqual({
        code: 0,
        printed: {
          sessionId: scanLog(log).header.sessionId,
          text: "Hello there",
          stopReason: "stop",
          usage: expect.objectContaining({ input: 10, output: 5, totalTokens: 15 }),
          cost: 0,
          unpriced: 1,
          durationMs: expect.any(Number),
          leafId: scanLog(log).events.at(-1)?.id,
        },
      });
    }));

  it("prints every event as one line with --output events, in order, stored ones as in the log", () =>
    withModel([text("Hello there", 3)], async (s) => {
      const { code, stdout, stderr } = await s.run([...none, "-p", "hi", "--output", "events"]);
      const heard = asLines(stdout);
      const [log = ""] = s.logs();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(heard.filter((event) => "id" in event)).toEqual(scanLog(log).events);
      expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, index) => (heard[0]?.seq as number) + index));
      const words = heard.flatMap(({ type, delta }) => (type === "text_delta" ? [delta] : []));
      expect(words.join("")).toBe("Hello there");
      expect(heard.slice(-2)).toMatchObject([
        { type: "runtime_end", reason: "completed" },
        { type: "session_end", reason: "closed" },
      ]);
    }));

  it("reports on stderr that a reply was cut at the output limit", () =>
    withModel([[text("As far as it"), finish("length")]], async (s) => {
      expect(await s.run([...none, "-p", "hi"])).toMatchObject({
        code: 0,
        stdout: "As far as it\n",
        stderr: expect.stringMatching(/^warning: The answer is cut: .*maxTokens in \[model\].*\n$/),
      });
    }));

  it("reports on stderr that a reply was empty", () =>
    withModel([text(" \n"), text("")], async (s) => {
      const warning = "warning: The model's reply is empty. Ask again, or choose another model with --model.\n";
      expect(await s.run([...none, "-p", "hi"])).toMatchObject({ code: 0, stderr: warning });
      const json = await s.run([...none, "-p", "hi", "--output", "json"]);
      expect([json.stderr, JSON.parse(json.stdout).text]).toEqual([warning, ""]);
    }));

  it("exits 1 when the turn fails, with the reason", () =>
    withModel([status(400, { error: { message: "no such thing" } }), status(400, {})], async (s) => {
      const plain = await s.run([...none, "-p", "hi"]);
      expect(plain).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no such thing") });
      const json = await s.run([...none, "-p", "hi", "--output", "json"]);
      expect(json.code).toBe(1);
      expect(JSON.parse(json.stdout)).toMatchObject({ stopReason: "error", error: { code: expect.any(String) } });
    }));

  it("without a model exits 2, tells how to set one, and writes no session", async () => {
    using s = scratch({ inProcess: true });
    const plain = await s.run([...none, "-p", "hi"]);
    expect(plain).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("config.toml") });
    const json = await s.run([...none, "-p", "hi", "--output", "json"]);
    expect({ code: json.code, printed: JSON.parse(json.stdout) }).toMatchObject({
      code: 2,
      printed: { sessionId: null, error: { code: "MODEL_NONE" } },
    });
    expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
  });

  it.each([
    ["an empty prompt", ["-p", ""]],
    ["a session named twice", ["-p", "hi", "--session", "abc", "--continue"]],
    ["nothing to continue", ["-p", "hi", "--continue"]],
    ["an unknown session", ["-p", "hi", "--session", "abc"]],
    ["an unknown format", ["-p", "hi", "--output", "yaml"]],
    ["an output without a prompt", ["--output", "json"]],
  ])("refuses %s with exit 2", (_, args) =>
    withModel([], async (s) => {
      const { code, stderr } = await s.run([...none, ...args]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^scorel: ./) });
    }),
  );

  it("continues the latest session of its directory, or one by the beginning of its id", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("ok"));
    s.useModel(server.baseUrl);
    const first = JSON.parse((await s.run([...none, "-p", "one", "--output", "json"])).stdout);
    const other = s.file("sub/.keep", "").replace(/\/\.keep$/, "");
    await s.run([...none, "-p", "elsewhere"], { cwd: other });
    const second = JSON.parse((await s.run([...none, "-p", "two", "--continue", "--output", "json"])).stdout);
    const prefix = first.sessionId.slice(0, 10);
    const third = JSON.parse((await s.run([...none, "-p", "three", "--session", prefix, "--output", "json"])).stdout);
    expect([second.sessionId, third.sessionId]).toEqual([first.sessionId, first.sessionId]);
    const said = server.requests.at(-1)?.body.messages.filter((message: { role: string }) => message.role === "user");
    expect(said.map((message: { content: string }) => message.content)).toEqual(["one", "two", "three"]);
  });

  it("warns once that the log of its session was damaged", () =>
    withModel([text("one"), text("two")], async (s) => {
      await s.run([...none, "-p", "first"]);
      const [log = ""] = s.logs();
      writeFileSync(log, readFileSync(log, "utf8").replace('"first"', '"fIrst"'));
      const { stdout, stderr } = await s.run([...none, "-p", "more", "--continue"]);
      expect({ stdout, stderr: stderr.replace(/offset \d+|\d+ bytes/g, "?") }).toEqual({
        stdout: "two\n",
        stderr: "warning: the session's log, line 4, ?: damaged: the checksum does not match (?)\n",
      });
    }));

  it("cancels on Ctrl-C, saves the partial reply, and exits 130", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([[text("Half of "), delayUntil(gate().promise)]]);
    s.useModel(server.baseUrl);
    const running = s.start([...none, "-p", "hi", "--output", "events"]);
    await running.line((line) => line.includes('"text_delta"'));
    process.kill(running.pid, "SIGINT");
    const { code, stderr } = await running.finished;
    const [log = ""] = s.logs();
    expect({ code, stderr }).toEqual({ code: 130, stderr: interruptedIn(log) });
    expect(records(log).at(-1)).toMatchObject({ message: { role: "assistant", partial: true, stopReason: "aborted" } });
  });

  it("says on SIGTERM, too, how to continue", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([[text("Half of "), delayUntil(gate().promise)]]);
    s.useModel(server.baseUrl);
    const running = s.start([...none, "-p", "hi", "--output", "events"]);
    await running.line((line) => line.includes('"text_delta"'));
    process.kill(running.pid, "SIGTERM");
    const { code, stderr } = await running.finished;
    expect({ code, stderr }).toEqual({ code: 143, stderr: interruptedIn(s.logs()[0] ?? "") });
  });

  it("prints every delta with --output events, however slowly it is read", async () => {
    using s = scratch({ inProcess: true });
    const words = Array.from({ length: 30_000 }, (_, index) => `${index}`.padStart(8, " "));
    await using server = await startModelServer([text(words.join(""), 8)]);
    s.useModel(server.baseUrl);
    const go = join(s.project, "go");
    execFileSync("mkfifo", [go]);
    // Nothing reads the pipe until the test writes to another one.
    const through = ["sh", "-c", `"$@" | { read -r _ < "${go}"; cat; }`, "sh"];
    const running = s.start([...none, "-p", "hi", "--output", "events"], { through });
    await (await server.request(0)).over;
    writeFileSync(go, "\n");
    const events = asLines((await running.finished).stdout);
    const seqs = events.map(({ seq }) => seq as number);
    expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] as number) + at));
    expect(events.filter(({ type }) => type === "text_delta").map(({ delta }) => delta)).toEqual(words);
  });

  it("finishes the turn when its reader closes stdout, and exits without an error", async () => {
    using s = scratch({ inProcess: true });
    const released = gate();
    await using server = await startModelServer([[text("Half "), delayUntil(released.promise), text("and whole", 1)]]);
    s.useModel(server.baseUrl);
    const running = s.start([...none, "-p", "hi", "--output", "events"]);
    await running.line((line) => line.includes('"text_delta"'));
    running.child.stdout?.destroy();
    released.open();
    expect(await running.finished).toMatchObject({ code: 0, stderr: "" });
    const [log = ""] = s.logs();
    expect(records(log).at(-1)).toMatchObject({ message: { content: [{ type: "text", text: "Half and whole" }] } });
  });

  it("finishes the turn when stdout cannot be written, reports it, and exits 1", () =>
    withModel([text("Hello there"), text("Hello there")], async (s) => {
      for (const output of ["text", "events"]) {
        const unwritable = openSync(fileURLToPath(import.meta.url), "r");
        const { code, stderr } = await s.run([...none, "-p", "hi", "--output", output], { stdout: unwritable });
        closeSync(unwritable);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringMatching(/^The output could not be written: EBADF.*\n$/),
        });
      }
      const ends = s.logs().map((log) => records(log).at(-1));
      expect(ends).toEqual(
        Array(2).fill(expect.objectContaining({ message: expect.objectContaining({ stopReason: "stop" }) })),
      );
    }));

  it("can run twenty times at once in one home, each with an intact session", () =>
    withModel(
      () => text("done", 1),
      async (s) => {
        const runs = await Promise.all(
          Array.from({ length: 20 }, (_, index) => s.run([...none, "-p", `run ${index}`], { ownProcess: true })),
        );
        expect(runs.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
          Array(20).fill({ code: 0, stdout: "done\n", stderr: "" }),
        );
        const scans = s.logs().map(scanLog);
        expect(scans.map(({ problems, unterminated }) => ({ problems, unterminated }))).toEqual(
          Array(20).fill({ problems: [], unterminated: false }),
        );
        const asked = scans.map(({ events }) => events.find(({ type }) => type === "message"));
        expect(
          new Set(asked.map((event) => (event as never as { message: { content: string } }).message.content)).size,
        ).toBe(20);
        expect(new Set(scans.map(({ header }) => header.deviceId)).size).toBe(1);
      },
    ));

  it("joins a session that another process has open, and answers after the running turn", async () => {
    using s = scratch({ inProcess: true });
    const released = gate();
    const first = [text("working "), delayUntil(released.promise), text("done")];
    await using server = await startModelServer([first, [text("second answer")]]);
    s.useModel(server.baseUrl);
    const writer = s.start([...none, "-p", "one", "--output", "events"]);
    await writer.line((line) => line.includes('"text_delta"'));
    const joining = s.start([...none, "-p", "two", "--continue"]);
    await writer.line((line) => line.includes('"queue_update"'));
    released.open();
    expect(await joining.finished).toMatchObject({
      code: 0,
      stdout: "second answer\n",
      stderr: "A turn is running in this session; the prompt waits until it ends (--if-busy refuse: do not wait).\n",
    });
    expect((await writer.finished).code).toBe(0);
    const { events, problems } = scanLog(s.logs()[0] ?? "");
    const said = events.filter(({ type }) => type === "message") as unknown as { message: { role: string } }[];
    expect(problems).toEqual([]);
    expect(said.map(({ message }) => message.role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("can run six times at once in one session, whichever process has it open, and answers every prompt", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("done"));
    s.useModel(server.baseUrl);
    await s.run([...none, "-p", "first"]);
    const prompts = Array.from({ length: 6 }, (_, index) => `run ${index}`);
    const runs = await Promise.all(
      prompts.map((prompt) => s.run([...none, "-p", prompt, "--continue"], { ownProcess: true })),
    );
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(prompts.map(() => [0, "done\n"]));
    const { events, problems } = scanLog(s.logs()[0] ?? "");
    const asked = events.flatMap((event) => {
      const { message } = event as unknown as { message?: { role: string; content: string } };
      return message?.role === "user" ? [message.content] : [];
    });
    expect([problems, asked.sort()]).toEqual([[], ["first", ...prompts]]);
  });
});

describe("scorel session", () => {
  it("shows a session, its events, and the context of the next request", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("An answer"));
    s.useModel(server.baseUrl);
    const { sessionId, leafId } = JSON.parse((await s.run([...none, "-p", "A question", "--output", "json"])).stdout);
    const session = async (action: string) => (await s.run([...none, "session", action, sessionId.slice(0, 8)])).stdout;
    const context = JSON.parse(await session("context"));
    expect(context).toMatchObject({ sessionId, leafId, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(context.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.parse(await session("context"))).toEqual(context);
    expect(asLines(await session("events"))).toEqual(scanLog(s.logs()[0] ?? "").events);
    expect(await session("show")).toMatch(/user: A question\n[\s\S]*assistant: An answer\n/);
    const tail = async (action: string, n: string) => s.run([...none, "session", action, sessionId, "--tail", n]);
    expect(asLines((await tail("events", "2")).stdout)).toEqual(scanLog(s.logs()[0] ?? "").events.slice(-2));
    expect((await tail("show", "1")).stdout).toBe("assistant: An answer\n\n");
    expect(await tail("show", "some")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--tail takes a positive number of events"),
    });
    const { stdout } = await s.run(["session", "list", "--output", "json"]);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ sessionId, title: "A question", messages: 2, cwd: s.project }),
    ]);
  });

  it("works while another process writes, without changing the log", async () => {
    using s = scratch({ inProcess: true });
    const released = gate();
    await using server = await startModelServer([[text("working "), delayUntil(released.promise)]]);
    s.useModel(server.baseUrl);
    const writer = s.start([...none, "-p", "A question", "--output", "events"]);
    await writer.line((line) => line.includes('"text_delta"'));
    const [log = ""] = s.logs();
    const before = readFileSync(log);
    const id = scanLog(log).header.sessionId;
    for (const action of ["show", "events", "context", "verify"])
      expect(await s.run(["session", action, id])).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
    expect(readFileSync(log)).toEqual(before);
    released.open();
    expect((await writer.finished).code).toBe(0);
  });

  it("verifies a log: 0 if it is intact, 1 with line and reason if not", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("An answer"));
    s.useModel(server.baseUrl);
    await s.run([...none, "-p", "A question"]);
    const [log = ""] = s.logs();
    const id = scanLog(log).header.sessionId;
    expect(await s.run(["session", "verify", id])).toMatchObject({ code: 0, stdout: expect.stringContaining("sound") });
    const whole = readFileSync(log, "utf8");
    const cases = {
      "damaged: the checksum": whole.replace("A question", "A quostion"),
      "torn: the last": `${whole}{"type":"mess`,
      "parent: the event's parent": whole
        .split("\n")
        .filter((line) => !line.includes('"role":"user"'))
        .join("\n"),
      "is not a session log": "hello\n",
    };
    for (const [reason, content] of Object.entries(cases)) {
      writeFileSync(log, content);
      expect(await s.run(["session", "verify", id])).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(reason),
      });
      expect(readFileSync(log, "utf8")).toBe(content);
    }
    unlinkSync(log);
    expect((await s.run(["session", "verify", id])).code).toBe(2);
  });
});

describe("scorel chat", () => {
  it("answers each line of its input, then exits", () =>
    withModel([text("first answer"), text("\u001b[31mred\u001b[0m \u0007bell")], async (s) => {
      const { code, stdout, stderr } = await s.run(["chat", ...none], { input: "one\ntwo\n/exit\nthree\n" });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toBe("first answer\nred bell\n");
      expect(records(s.logs()[0] ?? "").filter(({ type }) => type === "message")).toHaveLength(4);
    }));

  it("starts with `scorel --plain`", () =>
    withModel([text("an answer")], async (s) => {
      const { code, stdout } = await s.run([...none, "--plain"], { input: "one\n" });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("an answer\n") });
    }));

  it("without a model tells how to set one, and writes no session", async () => {
    using s = scratch({ inProcess: true });
    expect(await s.run(["chat", ...none], { input: "one\n" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("config.toml"),
    });
    expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
  });
});
