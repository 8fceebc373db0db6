import { describe, expect, it } from "vitest";
import { readExamples } from "../docs/examples.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const examples = readExamples();

describe("an extension shown in the documentation", () => {
  it.each(examples)("$file: $id loads, and a turn succeeds with it", async ({ id, source }) => {
    using home = scratch();
    await using server = await startModelServer([text("Well.")]);
    home.useModel(server.baseUrl);
    home.file(`~/.scorel/extensions/${id}.ts`, source);
    const { code, stdout, stderr } = await home.run(["-p", "hi"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Well.\n", stderr: "" });
  });
});

describe("the extension in the README", () => {
  const { id, source } = examples.find(({ file }) => file === "README.md") ?? { id: "", source: "" };

  it("gives the model its tool, and blocks pushes", async () => {
    using home = scratch({ inProcess: true });
    const calls = [toolCall("Today", {}), toolCall("Bash", { command: "git push --force" })];
    await using server = await startModelServer([calls, text("Understood.")]);
    home.useModel(server.baseUrl);
    home.file(`~/.scorel/extensions/${id}.ts`, source);
    const { stdout } = await home.run(["-p", "Push it, and tell me the date."]);
    expect(stdout).toBe("Understood.\n");
    const [first, second] = server.requests.map(({ body }) => body);
    const offered = first.tools.map((tool: { function: { name: string } }) => tool.function.name);
    expect(offered).toContain("Today");
    const results = second.messages.filter(({ role }: { role: string }) => role === "tool");
    expect(results.map(({ content }: { content: unknown }) => plain(content))).toEqual([
      new Date().toDateString(),
      "Pushing is left to the user.",
    ]);
  });

  it("is loaded from a project only with --trust", async () => {
    using home = scratch({ inProcess: true });
    await using server = await startModelServer([text("Without."), text("With.")]);
    home.useModel(server.baseUrl);
    home.file(`.scorel/extensions/${id}.ts`, source);
    await home.run(["-p", "hi"]);
    await home.run(["--trust", "-p", "hi"]);
    const offered = server.requests.map(({ body }) => JSON.stringify(body.tools).includes("Says which day it is."));
    expect(offered).toEqual([false, true]);
  });
});

describe("an example extension", () => {
  it.each([
    ["weather", ["weather", "show", "Rome"], "20 c in Rome\n"],
    ["counting", ["count"], "0\n"],
  ])("%s: adds a command to the command line", async (id, args, stdout) => {
    using home = scratch({ inProcess: true });
    install(home, id);
    expect(await home.run(args)).toMatchObject({ code: 0, stdout, stderr: "" });
  });

  it("count: adds a slash command", async () => {
    using home = scratch({ inProcess: true });
    install(home, "count");
    const { stdout } = await home.run(["chat", "--model", "offline/demo"], { input: "list files\n/count\n" });
    expect(stdout).toMatch(/^ {2}\d+ events$/m);
  });

  it("offline-guard: refuses calls with a reason that the model reads", async () => {
    using home = scratch({ inProcess: true });
    await using server = await startModelServer([
      toolCall("Bash", { command: "curl example.org" }),
      text("No network."),
    ]);
    home.useModel(server.baseUrl);
    install(home, "offline-guard");
    await home.run(["-p", "Fetch it."]);
    expect(server.requests[1]?.text).toContain("This session works offline.");
  });

  it("memory: adds a message before the prompt", async () => {
    using home = scratch({ inProcess: true });
    await using server = await startModelServer([text("Noted.")]);
    home.useModel(server.baseUrl);
    install(home, "memory");
    await home.run(["-p", "hi"]);
    expect(server.requests[0]?.text).toMatch(/The build takes two minutes\.[\s\S]*hi/);
  });
});

function install(home: Scratch, id: string): void {
  const { source } = examples.find((example) => example.id === id) ?? { source: "" };
  home.file(`~/.scorel/extensions/${id}.ts`, source);
}

/** The text of a message's content, which may be a string or a list of blocks. */
function plain(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text: string }[]).map((block) => block.text).join("");
}
