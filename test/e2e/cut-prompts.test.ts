import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, hang, startModelServer, text } from "../model-server.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** Starts a host in a process that ends with the test, and waits until it accepts connections. */
async function serving(s: Scratch, more: readonly string[] = []) {
  const host = s.start(["host", "serve", "--foreground", ...none, ...more]);
  const web = more.includes("--port") ? await host.line((line) => line.startsWith("web: ")) : "";
  await host.line((line) => line.startsWith("socket: "));
  return { ...host, port: Number(/:(\d+) /.exec(web)?.[1]) };
}

/** Starts a prompt whose reply never ends, at a separate host. */
async function stage(s: Scratch, more: readonly string[] = [], options: readonly string[] = []) {
  const server = await startModelServer([[text("half of"), hang()]]);
  s.useModel(server.baseUrl);
  const host = await serving(s, more);
  const prompt = s.start([...none, "-p", "one", "--output", "events", ...options]);
  await prompt.line((line) => line.includes('"text_delta"'));
  return { host, prompt, port: host.port, [Symbol.asyncDispose]: () => server.close() };
}

/** The same, with the host killed, and after the prompt has noticed this. */
async function stageWithoutHost(s: Scratch) {
  const t = await stage(s);
  t.host.child.kill("SIGKILL");
  await t.host.finished;
  await t.prompt.said("The connection to the host is lost");
  return t;
}

it("a prompt that another client cancels says so, and fails", async () => {
  using s = scratch();
  await using t = await stage(s, ["--port", "0"]);
  const token = readFileSync((await s.run(["host", "token", "show-path"])).stdout.trim(), "utf8").trim();
  const [log = ""] = s.logs();
  const cancelled = await fetch(`http://127.0.0.1:${t.port}/operations/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ sessionId: records(log)[0]?.sessionId }),
  });
  expect(cancelled.status).toBe(200);
  const { code, stderr } = await t.prompt.finished;
  expect([code, stderr]).toEqual([
    1,
    "The turn was cancelled by another client (owner), so the answer is not complete.\n",
  ]);
});

it("a prompt whose host is replaced says so, and fails", async () => {
  using s = scratch();
  await using t = await stage(s);
  await serving(s, ["--replace"]);
  const { code, stderr } = await t.prompt.finished;
  expect([
    code,
    stderr.split("\n").filter((line) => !/^The (connection to the host|host was stopped;)/.test(line)),
  ]).toEqual([
    1,
    ["The host was stopped during the turn, so the answer is not complete. What arrived is kept in the session.", ""],
  ]);
});

it("a prompt whose host is gone ends at the first Ctrl-C", async () => {
  using s = scratch();
  await using t = await stageWithoutHost(s);
  t.prompt.child.kill("SIGINT");
  const { code, stderr } = await t.prompt.finished;
  expect([code, stderr.split("\n").slice(1)]).toEqual([
    130,
    [
      expect.stringMatching(/^Interrupted\. To continue in this session: scorel --preset none --session \w+$/),
      "scorel: Left while the host was away. The answer so far is kept in the session; a turn that is still running there continues.",
      "",
    ],
  ]);
});

it("a prompt with --timeout ends in time when its host is killed, and when it only stops answering", async () => {
  const ends = await Promise.all(
    (["SIGKILL", "SIGSTOP"] as const).map(async (signal) => {
      using s = scratch();
      await using t = await stage(s, [], ["--timeout", "4"]);
      t.host.child.kill(signal);
      const { code, stderr } = await t.prompt.finished;
      t.host.child.kill("SIGKILL");
      return [code, stderr.split("\n").at(-2)];
    }),
  );
  const message =
    "scorel: Stopped after 4 seconds (--timeout) before the work was done. Raise --timeout to let it finish.";
  expect(ends).toEqual([
    [3, message],
    [3, message],
  ]);
});

it("a prompt that was interrupted before its host was gone ends with the connection", async () => {
  using s = scratch();
  await using t = await stage(s);
  t.host.child.kill("SIGSTOP");
  t.prompt.child.kill("SIGINT");
  t.host.child.kill("SIGKILL");
  const { code } = await t.prompt.finished;
  expect(code).toBe(130);
});

it("a prompt whose host is killed says that it waits, goes on when the host is back, and fails", async () => {
  using s = scratch();
  await using t = await stageWithoutHost(s);
  await serving(s);
  const { code, stderr } = await t.prompt.finished;
  expect([code, stderr.replace(/\(.*?\);/, "(why);").split("\n")]).toEqual([
    1,
    [
      "The connection to the host is lost (why); waiting until it is back. Ctrl-C ends this command.",
      "The connection to the host is back.",
      "The host was stopped during the turn, so the answer is not complete. What arrived is kept in the session.",
      "",
    ],
  ]);
});

it("two prompts in one session get their own answers, even if both are answered in one turn", async () => {
  using s = scratch();
  const first = gate();
  await using server = await startModelServer((request, index) => {
    const asked = JSON.stringify(request.body).includes("prompt two") ? "two" : "one";
    return index === 1 ? [delayUntil(first.promise), text(`answer ${asked}`)] : text(`answer ${asked}`);
  });
  s.useModel(server.baseUrl);
  const host = await serving(s);
  expect((await s.run([...none, "-p", "prompt zero"])).code).toBe(0);
  const one = s.start([...none, "-c", "-p", "prompt one"]);
  await eventually(() => expect(server.requests).toHaveLength(2));
  const two = s.start([...none, "-c", "-p", "prompt two"]);
  await two.said("the prompt waits");
  first.open();
  const outputs = (await Promise.all([one.finished, two.finished])).map(({ code, stdout }) => [code, stdout]);
  host.child.kill("SIGTERM");
  await host.finished;
  expect(outputs).toEqual([
    [0, "answer one\n"],
    [0, "answer two\n"],
  ]);
});
