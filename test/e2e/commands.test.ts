import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** What a conversation that is typed into a pipe answers, line by line. */
async function typed(s: Scratch, lines: string[], args: string[] = []) {
  const { code, stdout, stderr } = await s.run(["chat", ...args], { input: `${lines.join("\n")}\n` });
  return { code, stderr, out: stdout };
}
const idOf = (log: string) => log.replace(/^.*\/(.*)\.jsonl$/, "$1");

describe("slash commands on a session made by a real run", () => {
  it("show its state, its tools, its window and its cost", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello there.")]);
    s.useModel(server.baseUrl);
    const { code, stderr, out } = await typed(s, ["hi", "/status", "/tools", "/context", "/cost", "/model", "/help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(out).toMatch(/^session +\w{16}$/m);
    expect(out).toMatch(/^Read {2}/m);
    expect(out).toMatch(/\d+ {2}system prompt$/m);
    expect(out).toMatch(/tokens estimated of a window of/);
    expect(out).toMatch(/^scripted\/scripted-model: 1 requests, \d+ tokens in/m);
    expect(out).toMatch(/^\/rewind <event> \[--files\] \[--overwrite\] +Go on from/m);
  });

  it("go back and forth, and try again", async () => {
    using s = scratch();
    await using server = await startModelServer([text("One."), text("Two."), text("Two again.")]);
    s.useModel(server.baseUrl);
    const { code, out } = await typed(s, ["first", "second", "/undo", "/redo", "/retry", "/tree"]);
    expect(code).toBe(0);
    expect(out).toContain("Two again.");
    const asked = server.requests.map(({ body }) =>
      (body.messages as { role: string; content: unknown }[])
        .filter(({ role }) => role === "user")
        .map(({ content }) => content),
    );
    expect(asked.at(-1)).toEqual(asked.at(-2));
    expect(out).toMatch(/├─○ \w+ +user +second\n│ ○ \w+ +assistant +Two\./);
  });

  it("change between sessions, name and copy them", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("Yes."));
    s.useModel(server.baseUrl);
    await s.run(["-p", "the first session"]);
    const [first = ""] = s.logs().map(idOf);
    const { code, out } = await typed(s, [
      `/resume ${first.slice(0, 10)}`,
      "/name mine",
      "go on",
      "/clone",
      "/new",
      "another",
      "/quit",
      "never said",
    ]);
    expect(code).toBe(0);
    expect(out).toContain(`Session ${first}`);
    expect(out).not.toContain("never said");
    const listed = JSON.parse((await s.run(["session", "list", "--output", "json"])).stdout) as {
      name?: string;
      title: string;
    }[];
    expect(listed.map(({ name, title }) => `${name ?? "unnamed"}: ${title}`).sort()).toEqual([
      "mine: the first session",
      "mine: the first session",
      "unnamed: another",
    ]);
  });

  it("show what the session changed", async () => {
    using s = scratch();
    s.file("a.txt", "one\n");
    const edit = toolCall("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), edit, text("Done.")]);
    s.useModel(server.baseUrl);
    const { code, out } = await typed(s, ["change it", "/diff"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^-one$/m);
    expect(out).toMatch(/^\+two$/m);
  });

  it("run without a conversation around them, with typed results", async () => {
    using s = scratch();
    await using server = await startModelServer(() => text("Yes."));
    s.useModel(server.baseUrl);
    await s.run(["-p", "hello"]);
    const [id = ""] = s.logs().map(idOf);
    const cost = await s.run(["session", "run", id.slice(0, 8), "/cost", "--output", "json"]);
    expect(JSON.parse(cost.stdout)).toMatchObject({ data: { models: { "scripted/scripted-model": { requests: 1 } } } });
    expect(await s.run(["session", "run", id, "retry"])).toMatchObject({ code: 0, stdout: "Yes.\n", stderr: "" });
    expect(await s.run(["session", "run", id, "/copy"])).toMatchObject({ code: 0, stdout: "Yes.\n" });
    const unknown = await s.run(["session", "run", id, "/rewound"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean /rewind")]);
  });

  it("run what Markdown files of a trusted project say, and not those of another", async () => {
    using s = scratch();
    mkdirSync(join(s.project, ".claude/commands"), { recursive: true });
    writeFileSync(join(s.project, ".claude/commands/tell.md"), "Tell me about $ARGUMENTS.\n");
    await using server = await startModelServer(() => text("Well."));
    s.useModel(server.baseUrl);
    const stranger = await typed(s, ["/tell trees"]);
    expect(stranger.out).toContain("COMMAND_UNKNOWN");
    expect(server.requests).toHaveLength(0);
    mkdirSync(join(s.project, ".scorel"));
    const trusted = await typed(s, ["/tell trees"], ["--trust"]);
    expect(trusted.out).toContain("Well.");
    expect(server.requests.at(-1)?.body.messages).toContainEqual({ role: "user", content: "Tell me about trees." });
  });
});
