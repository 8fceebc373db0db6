import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import {
  delayUntil,
  gate,
  type ModelServer,
  type Script,
  startModelServer,
  text,
  toolCall,
  usage,
} from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** Runs tests in a home with a scripted model, which costs one dollar per token and accepts images. */
async function withModel(
  script: Script,
  work: (s: Scratch, server: ModelServer) => Promise<void>,
  home?: { cold: boolean },
): Promise<void> {
  using s = scratch(home);
  await using server = await startModelServer(script);
  const cost = "cost = { input = 1000000, output = 1000000, cacheRead = 0, cacheWrite = 0 }\n";
  s.useModel(server.baseUrl, `reasoning = true\ninput = ["text", "image"]\n${cost}`);
  await work(s, server);
}
const none = ["--preset", "none"];
const asked = (server: ModelServer, index = 0) => server.requests[index]?.body.messages.at(-1).content;
interface Printed {
  sessionId: string;
  leafId: string;
  [key: string]: unknown;
}
const printed = (stdout: string) => JSON.parse(stdout) as Printed;
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel.toString("base64")}` } };

describe("attachments of a prompt", () => {
  it("a file named by @ is sent as the session would read it; @ without a matching file stays text", () =>
    withModel([text("ok")], async (s, server) => {
      s.file("src/a.ts", "const fence = '```';\n");
      s.file("with space.txt", "spaced");
      const prompt = 'Compare @src/a.ts, and @"with space.txt" (@nobody, me@src/a.ts, @src/a.ts).';
      const { stderr } = await s.run(["-p", prompt]);
      expect({ asked: asked(server), stderr }).toEqual({
        asked: [
          { type: "text", text: prompt },
          { type: "text", text: "Attached: src/a.ts\n````\n[lines 1-1 of 1]\n1\tconst fence = '```';\n````" },
          {
            type: "text",
            text: "Attached: with space.txt\n```\n[lines 1-1 of 1; no line break at the end]\n1\tspaced\n```",
          },
        ],
        stderr: "",
      });
    }));

  it("a file that may not be read, or is missing, is not sent, and both the user and the model are told", () =>
    withModel([text("ok")], async (s, server) => {
      s.file("key.txt", "not to be sent");
      appendFileSync(join(s.home, ".scorel/config.toml"), '\n[permissions]\ndeny = ["Read(key.txt)"]\n');
      const { code, stderr } = await s.run(["-p", "Compare @key.txt with @gone.txt"]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `[not attached: key.txt: the rule "Read(key.txt)" denies it]\n[not attached: gone.txt: there is no such file]\n`,
      });
      expect(JSON.stringify(asked(server))).toContain("Not attached: key.txt");
      expect(JSON.stringify(server.requests)).not.toContain("not to be sent");
    }));

  it("@ in piped input names no files", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      s.file("private.txt", "not to be sent");
      s.file("a.txt", "to be sent");
      await s.run(["-p", "Summarise:"], { input: "see @private.txt" });
      await s.run(["-p", "Summarise @a.txt:"], { input: "see @private.txt" });
      expect([asked(server), asked(server, 1)]).toEqual([
        "Summarise:\n\nsee @private.txt",
        [
          { type: "text", text: "Summarise @a.txt:" },
          { type: "text", text: "see @private.txt" },
          {
            type: "text",
            text: "Attached: a.txt\n```\n[lines 1-1 of 1; no line break at the end]\n1\tto be sent\n```",
          },
        ],
      ]);
    }));

  it("images are sent as images, by --image or @, also without text", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      const shot = join(s.project, "shot.png");
      writeFileSync(shot, pixel);
      await s.run(["-p", "Look at @shot.png", "--image", "shot.png"]);
      await s.run([...none, "-p", "", "--image", shot]);
      expect([asked(server), asked(server, 1)]).toEqual([
        [
          { type: "text", text: "Look at @shot.png" },
          picture,
          { type: "text", text: "[shot.png: image/png, 1x1, 70 bytes]" },
          picture,
        ],
        [picture],
      ]);
    }));

  it.each([
    ["an image that is none", ["--image", "a.txt"], "a.txt cannot be attached: it is not an image"],
    ["a missing image", ["--image", "gone.png"], "gone.png cannot be attached: it does not exist"],
    ["a folder as an image", ["--image", "."], ". cannot be attached: it is not a regular file"],
  ])("%s is refused with exit 2", (_, args, reason) =>
    withModel([], async (s) => {
      s.file("a.txt", "text");
      const { code, stderr } = await s.run([...none, "-p", "hi", ...args]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: `scorel: ${reason}.\n` });
    }),
  );

  it("endless piped input is refused, and no more of it is read", () =>
    withModel([text("hi")], async (s, server) => {
      const run = s.start([...none, "-p", "Read"], { open: true });
      const { stdin } = run.child;
      stdin?.on("error", () => {});
      const feed = () => {
        while (stdin?.writable && stdin.write("y\n".repeat(32_768)));
        stdin?.once("drain", feed);
      };
      feed();
      const { code, stderr } = await run.finished;
      expect([code, stderr.split(",")[0], server.requests.length]).toEqual([
        2,
        "scorel: The piped input is longer than 16 MB",
        0,
      ]);
    }));

  it("binary input is refused, and a binary file that is named by @ is not attached", () =>
    withModel([text("ok")], async (s) => {
      s.file("a.bin", "\0\u0001");
      const piped = await s.run([...none, "-p", "Read"], { input: "\0\u0001" });
      const named = await s.run(["-p", "Read @a.bin"]);
      expect([piped, named]).toMatchObject([
        { code: 2, stderr: expect.stringContaining("is not UTF-8 text") },
        { code: 0, stderr: expect.stringContaining("[not attached: a.bin: ") },
      ]);
    }));
});

describe("options of a session", () => {
  const flags = ["--tools", "Read, Grep", "--append-system-prompt", "Speak in rhymes.", "--thinking", "high"];
  const told = (server: ModelServer, index = 0) => {
    const { tools, messages, reasoning_effort } = server.requests[index]?.body ?? {};
    return {
      tools: tools?.map((tool: { function: { name: string } }) => tool.function.name),
      end: messages?.[0].content.split("\n\n").at(-1),
      effort: reasoning_effort,
    };
  };

  it.each([
    ["-p", ["-p", "hi"], ""],
    ["the conversation", [], "hi\n"],
    ["chat", ["chat"], "hi\n"],
  ])("%s takes --tools, --append-system-prompt and --thinking", (_, args, input) =>
    withModel([text("ok")], async (s, server) => {
      const { code, stderr } = await s.run([...args, ...flags], { input });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(told(server)).toEqual({ tools: ["Grep", "Read"], end: "Speak in rhymes.", effort: "high" });
    }),
  );

  it("--thinking applies to the session from then on, the other two only to the run", () =>
    withModel([text("ok"), text("ok")], async (s, server) => {
      await s.run(["-p", "hi", ...flags]);
      await s.run(["-p", "and on", "--continue"]);
      expect(told(server, 1)).toMatchObject({ tools: expect.arrayContaining(["Bash"]), effort: "high" });
      expect(told(server, 1).end).not.toBe("Speak in rhymes.");
    }));

  it("an unknown tool is refused with exit 2, before anything is written", () =>
    withModel([], async (s) => {
      const { code, stderr } = await s.run(["-p", "hi", "--tools", "Read,Raed"]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('There is no tool "Raed"') });
      expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
    }));
});

describe("choosing a session", () => {
  it("--no-session writes nothing to the home", () => {
    const used = async (s: Scratch) => {
      const run = await s.run(["-p", "hi", "--no-session"]);
      expect(run).toEqual({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
      expect(readdirSync(join(s.home, ".scorel"))).toEqual(["config.toml"]);
    };
    return withModel([text("ok")], used, { cold: true });
  });

  it("--fork continues a copy, and leaves the original session unchanged", () =>
    withModel([text("one"), text("two"), text("three")], async (s, server) => {
      const first = printed((await s.run([...none, "-p", "hi", "--output", "json"])).stdout);
      const [log = ""] = s.logs();
      const before = scanLog(log);
      const fork = ["--fork", first.sessionId.slice(0, 8)];
      const copy = printed((await s.run([...none, "-p", "and on", ...fork, "--output", "json"])).stdout);
      const path = log.replace(first.sessionId, copy.sessionId);
      const { header, events, problems } = scanLog(path);
      expect(scanLog(log)).toEqual(before);
      expect({ clonedFrom: header.clonedFrom, problems, seq: events.map(({ seq }) => seq) }).toEqual({
        clonedFrom: {
          deviceId: before.header.deviceId,
          sessionId: first.sessionId,
          eventId: first.leafId,
        },
        problems: [],
        seq: [...events].sort((a, b) => a.seq - b.seq).map(({ seq }) => seq),
      });
      expect((await s.run(["session", "verify", copy.sessionId])).code).toBe(0);
      await s.run([...none, "-p", "once more", "--session", copy.sessionId]);
      expect(server.requests.map(({ body }) => body.messages.length)).toEqual([2, 4, 6]);
    }));

  it("--fork with an event continues from that event, and reports events that cannot be used", () =>
    withModel([text("one"), text("two"), text("other")], async (s, server) => {
      const first = printed((await s.run([...none, "-p", "hi", "--output", "json"])).stdout);
      await s.run([...none, "-p", "on", "--continue"]);
      const at = `${first.sessionId.slice(0, 8)}@${String(first.leafId).slice(0, 8)}`;
      const copy = printed((await s.run([...none, "-p", "elsewhere", "--fork", at, "--output", "json"])).stdout);
      expect(copy.text).toBe("other");
      expect(server.requests[2]?.body.messages.map(({ content }: { content: unknown }) => content).slice(1)).toEqual([
        "hi",
        "one",
        "elsewhere",
      ]);
      const refused = await s.run([...none, "-p", "x", "--fork", `${first.sessionId}@nowhere`]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"nowhere"') });
      expect(s.logs()).toHaveLength(2);
    }));

  it("--fork with --no-session saves no copy", () =>
    withModel([text("one"), text("two")], async (s, server) => {
      const { sessionId } = printed((await s.run([...none, "-p", "hi", "--output", "json"])).stdout);
      await s.run([...none, "-p", "and on", "--fork", sessionId, "--no-session"]);
      expect({ logs: s.logs().length, messages: server.requests[1]?.body.messages.length }).toEqual({
        logs: 1,
        messages: 4,
      });
    }));

  it("a copy is not saved when its turn cannot start", () =>
    withModel([text("one")], async (s) => {
      const { sessionId } = printed((await s.run([...none, "-p", "hi", "--output", "json"])).stdout);
      const { code } = await s.run([...none, "-p", "on", "--fork", sessionId, "--model", "nobody/nothing"]);
      expect({ code, logs: s.logs().length }).toEqual({ code: 2, logs: 1 });
    }));

  it.each([
    [["--fork", "a", "--session", "b"], "--session and --fork"],
    [["--no-session", "--continue"], "--continue and --no-session"],
  ])("%j, which name two sessions, are refused with exit 2", (args, named) =>
    withModel([], async (s) => {
      const { code, stderr } = await s.run([...none, "-p", "hi", ...args]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(named) });
    }),
  );

  it("an ambiguous session id is refused with exit 2, and the matching sessions are listed", () =>
    withModel([], async (s) => {
      const ids = ["same1111", "same2222"];
      for (const id of ids) s.file(`~/.scorel/sessions/${id}.jsonl`, "{}\n");
      const { code, stderr } = await s.run([...none, "-p", "hi", "--session", "same"]);
      expect({ code, named: ids.filter((id) => stderr.includes(id)) }).toEqual({ code: 2, named: ids });
    }));
});

describe("a limit ends the run with exit 3 and a message", () => {
  const round = [toolCall("Bash", { command: "true" }), usage({ input: 1, output: 1 })];
  const json = ["--output", "json"];

  it("--max-rounds, after the tools of the last allowed round", () =>
    withModel(
      () => round,
      async (s, server) => {
        const { code, stdout, stderr } = await s.run(["-p", "work", "--max-rounds", "2", ...json]);
        expect({ code, rounds: server.requests.length, stderr, ...printed(stdout) }).toMatchObject({
          code: 3,
          rounds: 2,
          stderr: expect.stringMatching(/^Stopped after 2 rounds/m),
          stopReason: "aborted",
          error: { code: "PRINT_MAX_ROUNDS" },
        });
      },
    ));

  it("--max-cost, as soon as the cost is reached", () =>
    withModel(
      () => round,
      async (s, server) => {
        const { code, stdout } = await s.run(["-p", "work", "--max-cost", "3.5", ...json]);
        expect({ code, rounds: server.requests.length, ...printed(stdout) }).toMatchObject({
          code: 3,
          rounds: 2,
          cost: 4,
          error: { code: "PRINT_MAX_COST" },
        });
      },
    ));

  it("--timeout, and the partial reply is saved", () =>
    withModel([[text("so far"), delayUntil(gate().promise)]], async (s) => {
      const { code, stdout } = await s.run([...none, "-p", "work", "--timeout", "1.5", ...json]);
      expect({ code, ...printed(stdout) }).toMatchObject({
        code: 3,
        text: "so far",
        error: { code: "PRINT_TIMEOUT", message: expect.stringContaining("Stopped after 1.5 seconds") },
      });
    }));

  it("--timeout, and the partial reply is printed", () =>
    withModel([[text("so far"), delayUntil(gate().promise)]], async (s) => {
      const { code, stdout, stderr } = await s.run([...none, "-p", "work", "--timeout", "1.5"]);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "so far\n" });
      expect(stderr).toMatch(/^Stopped after 1\.5 seconds/);
    }));

  it("--timeout, also while the standard input stays open", () =>
    withModel([], async (s) => {
      const { finished } = s.start([...none, "-p", "work", "--timeout", "0.5"], { open: true });
      const { code, stdout, stderr } = await finished;
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toMatch(/Stopped after 0\.5 seconds/);
    }));

  it("a run that ends within its limits succeeds", () =>
    withModel([round, text("done")], async (s) => {
      const run = await s.run(["-p", "work", "--max-rounds", "2", "--max-cost", "100", "--timeout", "60"]);
      expect(run).toEqual({ code: 0, signal: null, stdout: "done\n", stderr: "" });
    }));

  it.each([
    ["--max-rounds", "0"],
    ["--max-rounds", "1.5"],
    ["--max-cost", "cheap"],
    ["--timeout", "-1"],
  ])("%s %s is refused with exit 2", (option, value) =>
    withModel([], async (s) => {
      const { code, stderr } = await s.run([...none, "-p", "hi", `${option}=${value}`]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`not "${value}"`) });
    }),
  );
});

describe("--output-schema", () => {
  const schema = {
    type: "object",
    properties: { total: { type: "integer" } },
    required: ["total"],
    additionalProperties: false,
  };
  const flags = ["--output-schema", "schema.json"];
  const withSchema = (script: Script, work: (s: Scratch, server: ModelServer) => Promise<void>) =>
    withModel(script, async (s, server) => {
      s.file("schema.json", JSON.stringify(schema));
      await work(s, server);
    });

  it("tells the model the schema, and prints the value", () =>
    withSchema([text('{ "total": 3 }'), text('```json\n{"total":3}\n```')], async (s, server) => {
      const plain = await s.run([...none, "-p", "Count", ...flags]);
      const json = await s.run([...none, "-p", "Count", ...flags, "--output", "json"]);
      expect(plain).toEqual({ code: 0, signal: null, stdout: '{"total":3}\n', stderr: "" });
      expect({ code: json.code, ...printed(json.stdout) }).toMatchObject({ code: 0, data: { total: 3 } });
      expect(asked(server)).toMatch(/^Count\n\nYour final answer must be one JSON value[\s\S]*"total"/);
    }));

  it("sends an invalid value back once, with the reason", () =>
    withSchema([text('{ "total": "three" }'), text('{ "total": 3 }')], async (s, server) => {
      const { code, stdout } = await s.run([...none, "-p", "Count", ...flags]);
      expect({ code, stdout, requests: server.requests.length }).toEqual({
        code: 0,
        stdout: '{"total":3}\n',
        requests: 2,
      });
      expect(asked(server, 1)).toMatch(/^Your answer does not fit the JSON schema: total: .*expected/);
    }));

  it("exits 4 when the second value is invalid, too, and prints nothing on stdout", () =>
    withSchema([text("three"), text('{"sum":3}'), text("three"), text("3")], async (s) => {
      const plain = await s.run([...none, "-p", "Count", ...flags]);
      expect(plain).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringContaining("The answer does not match the schema"),
      });
      const json = printed((await s.run([...none, "-p", "Count", ...flags, "--output", "json"])).stdout);
      expect({ ...json, data: json.data }).toMatchObject({
        text: "3",
        data: undefined,
        usage: { input: 20 },
        error: { code: "PRINT_SCHEMA_UNMET" },
      });
    }));

  it("does not ask for a repair beyond a limit", () =>
    withSchema([text("three")], async (s) => {
      const { code, stdout } = await s.run([...none, "-p", "Count", ...flags, "--max-rounds", "1"]);
      expect([code, stdout]).toEqual([3, ""]);
    }));

  it.each([
    ["that is missing", "gone.json", "it does not exist."],
    ["that is not JSON", "a.txt", "Unexpected token"],
  ])("refuses a schema %s with exit 2", (_, file, why) =>
    withSchema([], async (s) => {
      s.file("a.txt", "no JSON");
      const { code, stderr } = await s.run([...none, "-p", "Count", "--output-schema", file]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(`--output-schema ${file} cannot be used as a JSON schema: ${why}`),
      });
    }),
  );
});

it("options that need -p are refused without it", () =>
  withModel([], async (s) => {
    const { code, stderr } = await s.run([...none, "--plain", "--max-rounds", "3"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--max-rounds only works with -p") });
  }));

it("a deleted working directory is reported with exit 2", () =>
  withModel([], async (s) => {
    const gone = s.file("gone/.keep", "").replace(/\/\.keep$/, "");
    const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
    const command = `cd ${gone} && rm .keep && rmdir ${gone} && exec "$0" "$1" -p hi </dev/null`;
    const child = spawn("/bin/sh", ["-c", command, process.execPath, bin], {
      env: { PATH: process.env.PATH, HOME: s.home },
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("The current directory cannot be used as the working directory"),
    });
    expect(() => rmdirSync(gone)).toThrow();
  }));
