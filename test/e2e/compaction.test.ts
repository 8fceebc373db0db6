import { describe, expect, it } from "vitest";
import { type RecordedRequest, type Reply, startModelServer, status, text, toolCall, usage } from "../model-server.ts";
import { modelTable, records, scratch } from "./scorel.ts";

const window = 12_000;
const sizeOf = ({ text: sent }: RecordedRequest) => Math.ceil(Buffer.byteLength(sent) / 4);
const asksForSummary = ({ body }: RecordedRequest) => body.tools === undefined;
const systemOf = ({ body }: RecordedRequest) => String(body.messages[0].content);
const isEnglish = ({ body }: RecordedRequest) =>
  JSON.stringify(body.messages.at(-1)).includes("Write a summary of the conversation above");

/** A home whose model has a small context window and plays this script; each reply reports the request that was sent. */
async function place(reply: (request: RecordedRequest, index: number) => Reply) {
  const server = await startModelServer((request, index) => {
    const parts = [reply(request, index)].flat() as Extract<Reply, readonly unknown[]>;
    return parts.some(({ do: what }) => what === "status")
      ? parts
      : [...parts, usage({ input: sizeOf(request), output: 50 })];
  });
  const here = scratch({ inProcess: true });
  here.file("~/.scorel/config.toml", modelTable(server.baseUrl).replace("128000", `${window}`).replace("8000", "2000"));
  return {
    ...here,
    server,
    async [Symbol.asyncDispose]() {
      here[Symbol.dispose]();
      await server.close();
    },
  };
}
const compacts = (path: string) => records(path).filter(({ type }) => type === "compact");
/** The line about a compaction that `scorel -p` prints to stderr. */
const told = ({ tokensBefore, tokensAfter }: Record<string, unknown>) =>
  `The older part of the conversation was replaced by a summary (${tokensBefore} tokens before, ${tokensAfter} after).`;

describe("compaction of a session", () => {
  it("happens between the rounds of a turn, and all later processes send the same context", async () => {
    await using here = await place((request) => {
      if (asksForSummary(request)) return text("The deploy key is heron.");
      return request.body.messages.at(-1).role === "tool" ? text("Read.") : toolCall("Read", { file_path: "big.txt" });
    });
    here.file("big.txt", `${"A line of the file. ".repeat(5)}\n`.repeat(60));
    const said: string[] = [];
    for (const words of ["The deploy key is heron.", "more", "more", "more", "more", "more", "more", "more"]) {
      const { code, stderr } = await here.run(["-p", words, ...(words === "more" ? ["--continue"] : [])]);
      expect(code).toBe(0);
      said.push(...stderr.split("\n").filter(Boolean));
    }
    const [log] = here.logs() as [string];
    expect(compacts(log).length).toBeGreaterThan(0);
    expect(said).toEqual(compacts(log).map(told));
    expect(here.server.requests.filter(asksForSummary).every(isEnglish)).toBe(true);
    expect(Math.max(...here.server.requests.map(sizeOf))).toBeLessThan(0.85 * window);
    expect(JSON.stringify(here.server.requests.at(-1)?.body.messages)).toContain("The deploy key is heron.");
    expect(new Set(here.server.requests.filter((it) => !asksForSummary(it)).map(systemOf)).size).toBe(1);

    const id = /([^/]+)\.jsonl$/.exec(log)?.[1] as string;
    const [first, second] = await Promise.all(
      [1, 2].map(() => here.run(["session", "context", id], { ownProcess: true })),
    );
    expect(first?.stdout).toContain("The conversation up to here was replaced by this summary");
    expect(second?.stdout).toBe(first?.stdout);
  });

  it("happens when the server reports a context overflow, and the turn goes on", async () => {
    const tooLong = status(400, { error: { message: "This model's maximum context length is 4096 tokens." } });
    await using here = await place((request, index) => {
      if (asksForSummary(request)) return text("S1");
      return index === 2 ? tooLong : text(`answer ${index} ${"word ".repeat(200)}`);
    });
    await here.run(["-p", "one"]);
    await here.run(["-p", "two", "--continue"]);
    const third = await here.run(["-p", "three", "--continue", "--output", "json"]);
    const made = compacts(here.logs()[0] as string);
    expect(made).toMatchObject([{ summary: "S1", method: "model" }]);
    expect([third.code, third.stderr]).toEqual([0, `${made.map(told)[0]}\n`]);
    expect(JSON.parse(third.stdout)).toMatchObject({ text: expect.stringMatching(/^answer 4 /), compactions: 1 });
  });

  it("happens on /compact in a conversation, which reports the result", async () => {
    await using here = await place((request) => (asksForSummary(request) ? text("S1") : text("ok ".repeat(300))));
    const { stdout, code } = await here.run(["chat"], {
      input: "one\ntwo\nthree\n/compact keep the names\n/compact\n",
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Summarizing the older part of the conversation: \d+ of 12000 tokens are in use/);
    expect(stdout).toMatch(/^ {2}Compacted: about \d+ tokens by the model's count → \d+ by Scorel's estimate\.$/m);
    expect(compacts(here.logs()[0] as string).length).toBeGreaterThan(0);
    const [asked] = here.server.requests.filter(asksForSummary);
    expect(String(asked?.body.messages.at(-1).content)).toMatch(/> keep the names$/);
  });

  it("reports that an extract was used instead of a summary because the model failed", async () => {
    await using here = await place((request) =>
      asksForSummary(request) ? status(401, { error: { message: "no" } }) : text("ok ".repeat(300)),
    );
    const { stdout } = await here.run(["chat"], { input: "one\ntwo\nthree\n/compact\n" });
    expect(stdout).toMatch(/so an extract was made without a model\. The model call failed: 401 no/);
    expect([stdout.split("so an extract was made").length, stdout.split("Compacted").length]).toEqual([2, 2]);
    expect(compacts(here.logs()[0] as string)).toMatchObject([{ method: "extract" }]);
  });

  it("reports a failed summary on stderr, and the turn still succeeds", async () => {
    await using here = await place((request) =>
      asksForSummary(request) ? status(401, { error: { message: "no" } }) : text("ok ".repeat(3_000)),
    );
    expect(await here.run(["-p", "one"])).toMatchObject({ code: 0, stderr: "" });
    let told = "";
    for (let turn = 0; turn < 8 && told === ""; turn++) {
      const { code, stdout, stderr } = await here.run(["--continue", "-p", "more ".repeat(300)]);
      expect([code, stdout.startsWith("ok ok")]).toEqual([0, true]);
      told = stderr;
    }
    expect(told).toMatch(
      /^warning: The model could not summarize .* extract was made without a model\. The model call failed: .*\n$/,
    );
  });

  it("counts its cost for --max-cost", async () => {
    await using here = await place((request) => {
      if (asksForSummary(request)) return [text("S1"), usage({ input: 1_000_000, output: 0 })];
      return toolCall("Read", { file_path: "big.txt", offset: 1 });
    });
    here.file("big.txt", `${"A line of the file. ".repeat(5)}\n`.repeat(60));
    const config = modelTable(here.server.baseUrl).replace("128000", `${window}`).replace("8000", "2000");
    here.file("~/.scorel/config.toml", `${config}\n[model.cost]\ninput = 1\n`);
    const { code, stderr } = await here.run(["-p", "go", "--max-cost", "0.9"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("(--max-cost)")]);
    expect(here.server.requests.filter(asksForSummary)).toHaveLength(1);
  });
});
