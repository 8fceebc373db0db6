import { realpathSync } from "node:fs";
import { expect } from "vitest";
import { modelTable, type Scratch, scratch } from "../e2e/scorel.ts";
import { type RecordedRequest, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { inKits } from "./kits/kits.ts";

/** Runs a turn with one of the servers that the authors of MCP publish. */
async function turn(server: string, args: (s: Scratch) => readonly string[], replies: Reply[], prompt = "Go.") {
  using s = scratch();
  await using model = await startModelServer(replies);
  s.file("~/.scorel/config.toml", modelTable(model.baseUrl));
  const program = inKits(`@modelcontextprotocol/server-${server}/dist/index.js`);
  const words = ["mcp", "add", "it", "--env", `MEMORY_FILE_PATH=${s.home}/graph.jsonl`, "--"];
  expect(await s.run([...words, process.execPath, program, ...args(s)])).toMatchObject({ code: 0 });
  const tested = await s.run(["mcp", "test", "it"]);
  expect(tested).toMatchObject({ code: 0, stderr: "" });
  s.file("a.txt", "in the project\n");
  s.file("~/b.txt", "outside\n");
  const run = await s.run(["-p", prompt]);
  expect(run).toMatchObject({ code: 0 });
  return { shown: tested.stdout, results: model.requests.slice(1).map(lastIn), first: lastIn(model.requests[0]) };
}

const lastIn = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages.at(-1));
const call = (name: string, args: object) => toolCall(`mcp__it__${name}`, args);

itWith(
  "kits",
  "server-everything: texts, sums, images, structured content, progress, a resource and a prompt",
  async () => {
    const { shown, results, first } = await turn(
      "everything",
      () => ["stdio"],
      [
        call("echo", { message: "heard" }),
        call("get-sum", { a: 20, b: 22 }),
        call("get-tiny-image", {}),
        call("get-structured-content", { location: "Chicago" }),
        call("trigger-long-running-operation", { duration: 0.2, steps: 2 }),
        text("Done."),
      ],
      "What does @it:demo://resource/static/document/features.md say?",
    );
    expect(shown).toContain("mcp__it__echo");
    expect(shown).toContain("/mcp__it__simple-prompt");
    expect(first).toMatch(/features/i);
    expect(results).toHaveLength(5);
    expect(results[0]).toContain("heard");
    expect(results[1]).toContain("42");
    expect(results[2]).toMatch(/image/i);
    expect(results[3]).toMatch(/temperature/i);
    expect(results[4]).toMatch(/completed/i);
  },
);

itWith("kits", "server-filesystem: reads in the folder that it is told of as a root, and nowhere else", async () => {
  const { results } = await turn(
    "filesystem",
    // Without a root from the client, the server may read only this folder.
    ({ home }) => [`${realpathSync(home)}/.scorel`],
    [
      call("list_allowed_directories", {}),
      call("read_text_file", { path: "a.txt" }),
      call("read_text_file", { path: "../home/b.txt" }),
      text("Done."),
    ],
  );
  expect(results[0]).toContain("/project");
  expect(results[1]).toContain("in the project");
  expect(results[2]).toMatch(/denied|outside/i);
  expect(results[2]).not.toContain("outside\\n");
});

itWith("kits", "server-memory: keeps what it is told, and finds it again", async () => {
  const entities = [{ name: "Ann", entityType: "person", observations: ["likes tea"] }];
  const { results } = await turn("memory", () => [], [
    call("create_entities", { entities }),
    call("search_nodes", { query: "tea" }),
    text("Done."),
  ]);
  expect(results[1]).toContain("likes tea");
});
