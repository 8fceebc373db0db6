import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type ApiName,
  endEarly,
  formats,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  usage,
} from "../model-server.ts";
import { scratch } from "./scorel.ts";

const table = (api: ApiName, baseUrl: string) => `[model]
type = "custom"
api = "${api}"
provider = "test"
id = "m1"
baseUrl = "${baseUrl}"
contextWindow = 100000
maxTokens = 8000
reasoning = true
cost = { input = 1, output = 10, cacheRead = 0.1 }
`;

/** How a request asks for the highest thinking level that every model supports. */
const thinksHard: Record<ApiName, string> = {
  "openai-completions": '"reasoning_effort":"high"',
  "openai-responses": '"effort":"high"',
  "google-generative-ai": '"includeThoughts":true',
  "anthropic-messages": '"type":"enabled","budget_tokens":',
};

describe.each(Object.keys(formats) as ApiName[])("scorel over %s", (api) => {
  it("runs a turn with a tool, and reports its cost", async () => {
    using s = scratch();
    s.file("note.txt", "the secret word is plum\n");
    const first = [thinking("where?"), text("I look."), toolCall("Read", { file_path: "note.txt" }, { pieces: 5 })];
    const last = [text("It is plum."), usage({ input: 1000, output: 10, cached: 400 })];
    await using server = await startModelServer([first, last]);
    s.file("~/.scorel/config.toml", table(api, server.baseUrlFor(api)));
    const { code, stdout, stderr } = await s.run(["-p", "which word?", "--output", "json", "--thinking", "xhigh"]);
    expect({ code, stderr, unexpected: server.requests.map(({ unexpected }) => unexpected) }).toEqual({
      code: 0,
      stderr: "",
      unexpected: [false, false],
    });
    const { text: said, stopReason, usage: tokens, cost } = JSON.parse(stdout);
    expect({ said, stopReason, cached: tokens.cacheRead, cost }).toEqual({
      said: "It is plum.",
      stopReason: "stop",
      cached: 400,
      cost: expect.closeTo((10 + 600 + 5 * 10 + 10 * 10 + 40) / 1e6, 9),
    });
    expect(server.requests[1]?.text).toContain("the secret word is plum");
    // A level above what the model is known to support is not requested.
    expect(server.requests[0]?.text).toContain(thinksHard[api]);
  });

  it("reports where a refused key came from, and what to do", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([status(401, { error: { message: "Incorrect API key provided." } })]);
    s.file("~/.scorel/config.toml", `${table(api, server.baseUrlFor(api))}apiKeyEnv = "TEAM_KEY"\n`);
    const { code, stderr } = await s.run(["-p", "Hello."], { env: { TEAM_KEY: "key-0123456789" } });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /Incorrect API key provided\. The key in TEAM_KEY was refused: is it the one for test, and still valid\? Set TEAM_KEY to one that is\.\n$/,
      ),
    ]);
  });

  it("runs two calls of one reply that have the same id", async () => {
    using s = scratch({ inProcess: true });
    s.file("a.txt", "the first word is plum");
    s.file("b.txt", "the second word is pear");
    const read = (file_path: string) => toolCall("Read", { file_path }, { id: "same", pieces: 5 });
    await using server = await startModelServer([[read("a.txt"), read("b.txt")], text("Both.")]);
    s.file("~/.scorel/config.toml", table(api, server.baseUrlFor(api)));
    const { code, stdout } = await s.run(["-p", "which words?"]);
    const sent = server.requests[1]?.text;
    expect([code, stdout, sent?.includes("is plum"), sent?.includes("is pear")]).toEqual([0, "Both.\n", true, true]);
  });

  it("does not run a call that was cut off", async () => {
    using s = scratch({ inProcess: true });
    const cut = () => [toolCall("Bash", { command: "touch ran; touch ran-more" }, { upTo: 25 }), endEarly()];
    await using server = await startModelServer(() => cut());
    s.file("~/.scorel/config.toml", `${table(api, server.baseUrlFor(api))}\n[agent]\nretries = 0\n`);
    const { code, stderr } = await s.run(["-p", "touch", "--preset", "coding"]);
    expect([code, stderr.includes("without a finish marker")]).toEqual([1, true]);
    expect(() => readFileSync(join(s.project, "ran"))).toThrow("ENOENT");
  });
});

describe("scorel without [model]", () => {
  it("-p tells how to set a model, and writes no session", async () => {
    using s = scratch({ inProcess: true });
    const { code, stdout, stderr } = await s.run(["-p", "hi"]);
    expect([code, stdout, stderr.startsWith("scorel: No model configured.")]).toEqual([2, "", true]);
  });
});

describe("scorel model, login and logout", () => {
  it("list works without a model", async () => {
    using s = scratch({ inProcess: true });
    const { code, stdout } = await s.run(["model", "list", "groq/llama-3.3"]);
    expect([code, stdout.split("\n")[1]]).toEqual([0, expect.stringMatching(/^groq\/llama-3\.3-70b-versatile +131k /)]);
  });

  it("check tries the current model", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("ok")]);
    s.file("~/.scorel/config.toml", table("anthropic-messages", server.baseUrlFor("anthropic-messages")));
    const { code, stdout } = await s.run(["model", "check"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {2}test\/m1 \(anthropic-messages, /)]);
  });

  it("check reports a wrong configuration with its exit code", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", table("anthropic-messages", "http://127.0.0.1:1/v1"));
    const { code, stderr } = await s.run(["model", "check"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Write it as "https://host"')]);
  });

  it("a stored key selects its provider's model until it is removed", async () => {
    using s = scratch({ inProcess: true });
    expect((await s.run(["login", "groq"], { input: "gsk-0123456789\n" })).code).toBe(0);
    expect((await s.run(["model", "list", "llama-3.3-70b-versatile"])).stdout).toMatch(/^groq\/.* stored key$/m);
    expect((await s.run(["logout", "groq"])).stdout).toBe("Forgot what was stored for groq.\n");
    expect((await s.run(["model", "check"])).stderr).toContain("No model configured");
  });
});

it("a filter that matches no model, and a login without a key, exit with 2", async () => {
  using s = scratch({ inProcess: true });
  expect(await s.run(["model", "list", "no-such-model"])).toMatchObject({ code: 2, stdout: "" });
  expect(await s.run(["login", "openai"], { input: "" })).toMatchObject({ code: 2 });
});
