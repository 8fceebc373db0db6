import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { answersTo, editor } from "./acp-editor.ts";
import { faultIn } from "./acp-frames.ts";
import { scratch } from "./scorel.ts";

const message = (id: number, method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
const initialize = (id: number) => message(id, "initialize", { protocolVersion: 1 });

/** The messages in an output by id. Throws if a line is not a message. */
function answersIn(stdout: string): Map<unknown, any> {
  expect(stdout.endsWith("\n")).toBe(true);
  const lines = stdout.slice(0, -1).split("\n");
  // Which request a response belongs to is not known here, so responses are not checked against a result's schema.
  const faults = lines.flatMap((line) => faultIn(line, new Map()) ?? []);
  expect(faults.filter((fault) => !fault.startsWith("an answer to nothing"))).toEqual([]);
  return new Map(lines.map((line) => JSON.parse(line)).map((each) => [each.id, each]));
}

/** Numbers that look random but are the same in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const VALUES = [
  "null",
  "true",
  "-1",
  "1e999",
  '""',
  '"\\ud800"',
  "[]",
  "{}",
  '[{"type":"text"}]',
  '{"toString":1}',
  '"__proto__"',
];

/** Lines between valid messages and noise: changed messages, other types, cut messages, bytes that are not UTF-8. */
function fuzzedLines(count: number): Buffer[] {
  const random = createRandom(42);
  const sessionId = "nobody";
  const seeds = [
    message(1, "initialize", { protocolVersion: 1, clientCapabilities: { fs: {} } }),
    message(2, "session/new", { cwd: "relative", mcpServers: [{ name: "a", command: "b", args: [], env: [] }] }),
    message(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] }),
    message(4, "session/load", { sessionId, cwd: "/", mcpServers: [] }),
    message(5, "session/set_config_option", { sessionId, configId: "mode", value: "full" }),
    message(6, "session/list", { cursor: "nowhere" }),
    message(7, "no/such/method", {}),
    '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nobody"}}',
    '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}',
    '{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
  ];
  const changes: ((line: string) => string | Buffer)[] = [
    (line) => line,
    (line) => line.slice(0, random(line.length)),
    (line) =>
      line.replace(/"[^"]*"(?=[,}\]])/g, (value) =>
        random(3) === 0 ? (VALUES[random(VALUES.length)] as string) : value,
      ),
    (line) => line.replace(/"(id|method|params|jsonrpc)"/, '"other"'),
    (line) => `[${line},${line}]`,
    (line) => line.replace("}", `,"x":${"[".repeat(random(400))}`),
    (line) => `${"\0\u001b[2J\ufeff\u2028"}${line}`,
    (line) => {
      const bytes = Buffer.from(line);
      for (let times = 0; times < 4; times++) bytes[random(bytes.length)] = random(256);
      return bytes;
    },
    () => Buffer.from(Array.from({ length: random(200) }, () => random(256))),
  ];
  return Array.from({ length: count }, () => {
    const changed = changes[random(changes.length)]?.(seeds[random(seeds.length)] as string) ?? "";
    // A line break would only split the line.
    return Buffer.from(Buffer.from(changed as string).map((byte) => (byte === 10 ? 32 : byte)));
  });
}

it("10,000 fuzzed lines are answered with messages or not at all, and the agent continues", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  const last = message(1_000_000, "session/new", { cwd: s.project, mcpServers: [] });
  const { code, stdout } = await answersTo(s, [...fuzzedLines(10_000), initialize(999_999), last]);
  const answers = answersIn(stdout);
  expect(code).toBe(0);
  expect(answers.get(1_000_000)?.result.sessionId).toMatch(/^\w+$/);
  expect(answers.size).toBeGreaterThan(5);
});

it("a huge line, a deep one and a batch are refused, and the next line is read", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  const deep = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${"[".repeat(1_000_000)}`;
  const lines = [
    Buffer.alloc(40 * 1024 * 1024, "x"),
    deep,
    `[${initialize(2)}]`,
    "7",
    `{"jsonrpc":"2.0","id":"${"i".repeat(300)}"}`,
  ];
  const { code, stdout } = await answersTo(s, [...lines, initialize(3)]);
  const parsed = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(parsed.map(({ id, error }) => [id, error?.message])).toEqual([
    [null, "Invalid request: a line has more than 32 MiB"],
    [null, "Invalid request: it has too many levels"],
    [null, "Invalid request"],
    [null, "Invalid request"],
    [null, "Invalid request"],
    [3, undefined],
  ]);
});

it("unknown methods, wrong params and requests before initialize get the protocol's errors", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:9/v1");
  const { stdout } = await answersTo(s, [
    message(1, "session/list", {}),
    initialize(2),
    message(3, "session/fly", {}),
    message(4, "session/new", { cwd: 7 }),
    message(5, "session/prompt", { sessionId: "nobody", prompt: [{ type: "text", text: "hi" }] }),
    message(6, "session/new", { cwd: "relative", mcpServers: [] }),
  ]);
  const answers = answersIn(stdout);
  const codes = [1, 2, 3, 4, 5, 6].map((id) => answers.get(id)?.error?.code);
  expect(codes).toEqual([-32600, undefined, -32601, -32602, -32002, -32602]);
});

it("output of an extension on stdout goes to stderr", async () => {
  using s = scratch();
  s.file(
    "~/.scorel/extensions/loud.ts",
    `process.stdout.write("written\\n");
console.log("logged");
export default { id: "loud", name: "loud", version: "1.0.0", needs: [], activate() { process.stdout.write("again\\n"); } };\n`,
  );
  await using model = await startModelServer([text("\u001b[31mred\u001b[0m and \u0007calm", 1)]);
  s.useModel(model.baseUrl);
  const e = await editor(s);
  const session = await e.open();
  await e.prompt(session, "hi");
  expect(e.said(session)).toBe("red and calm");
  const { code, stderr } = await e.leave();
  expect(code).toBe(0);
  for (const words of ["written", "logged", "again"]) expect(stderr).toContain(words);
});

it("the agent ends when nobody reads its output", async () => {
  using s = scratch();
  await using model = await startModelServer([[text("word ".repeat(50_000), 20)]]);
  s.useModel(model.baseUrl);
  const running = s.start(["acp"], { open: true });
  running.child.stdin?.write(`${initialize(1)}\n${message(2, "session/new", { cwd: s.project, mcpServers: [] })}\n`);
  const { result } = JSON.parse(await running.line((line) => line.includes('"id":2')));
  running.child.stdout?.destroy();
  const prompt = [{ type: "text", text: "go" }];
  running.child.stdin?.write(`${message(3, "session/prompt", { sessionId: result.sessionId, prompt })}\n`);
  expect((await running.finished).signal).toBe(null);
});

it("the check of the agent's lines finds violations of the schema", () => {
  const update = (params: unknown) => JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
  const asked = new Map([[1, "session/new"]]);
  const wrong = [
    "hello",
    '{"id":1}',
    update({
      sessionId: "a",
      update: { sessionUpdate: "plan", entries: [{ content: "x", priority: "none", status: "pending" }] },
    }),
    update({ sessionId: "a", update: { sessionUpdate: "tool_call", toolCallId: "c", title: "t", kind: "dig" } }),
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":9,"result":{}}',
  ];
  expect(wrong.filter((line) => faultIn(line, asked) === undefined)).toEqual([]);
  const plan = { sessionUpdate: "plan", entries: [{ content: "x", priority: "low", status: "pending" }] };
  expect(faultIn(update({ sessionId: "a", update: plan }), asked)).toBeUndefined();
});
