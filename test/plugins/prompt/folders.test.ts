import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isEvent, type Services } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import { describe, expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { openAgent, says, tool } from "../agent/setup.ts";
import { type Ground, ground } from "./setup.ts";

/** Runs a turn that reads and writes these files, one call after the other, and returns what the model was told about their folders. */
async function turn(g: Ground, calls: readonly [tool: "Look" | "Put", path: string][], gitRoot = g.project) {
  const path = (params: unknown) => join(g.project, (params as { path: string }).path);
  const look = tool("Look", async () => says("looked"), { access: () => "read", reads: (params) => [path(params)] });
  const put = tool("Put", async () => says("put"), { access: (params) => ({ writes: [path(params)] }) });
  const script = [...calls.map(([name, path]) => toolCall(name, { path })), text("done")];
  await using t = await openAgent(script, {
    tools: [look, put],
    plugins: [prompt],
    kernel: { services: { workspace: { cwd: g.project, root: gitRoot, home: g.home } as Services["workspace"] } },
    model: { contextWindow: 20_000 },
  });
  await (await t.agent.send("go")).turn;
  const told = [...t.session.tree].flatMap((event) => (isEvent(event, "harness_item") ? event.text : []));
  const requests = t.server.requests.map(({ body }) => JSON.stringify(body.messages));
  return { told, requests };
}

const about = (place: string, name: string, rules: string) =>
  `Instructions for work in ${place}, from ${name}:\n\n${rules}`;

describe("instructions of a folder below the working directory", () => {
  it("are told once, before the request after the first call that uses a file there", async () => {
    using g = ground();
    g.file("project/packages/api/AGENTS.md", "Use tabs.");
    g.file("project/packages/api/src/CLAUDE.md", "No default exports.");
    const { told, requests } = await turn(g, [
      ["Look", "README.md"],
      ["Look", "packages/api/src/a.ts"],
      ["Put", "packages/api/src/b.ts"],
    ]);
    expect(told).toEqual([
      about("packages/api", "packages/api/AGENTS.md", "Use tabs."),
      about("packages/api/src", "packages/api/src/CLAUDE.md", "No default exports."),
    ]);
    expect(requests.map((request) => request.includes("Use tabs."))).toEqual([false, false, true, true]);
  });

  it("are told when a file is written there, with the texts that they import", async () => {
    using g = ground();
    g.file("project/web/AGENTS.md", "See @style.md");
    g.file("project/web/style.md", "Two spaces.");
    expect((await turn(g, [["Put", "web/new/index.html"]])).told).toEqual([
      about("web", "web/AGENTS.md", "See @style.md"),
      about("web", "web/style.md", "Two spaces."),
    ]);
  });

  it("are told again when they have changed", async () => {
    using g = ground();
    const file = g.file("project/api/AGENTS.md", "Use tabs.");
    const change = tool("Change", async () => {
      writeFileSync(file, "Use spaces.");
      return says("changed");
    });
    const put = tool("Put", async () => says("put"), { access: () => ({ writes: [join(dirname(file), "a.ts")] }) });
    const script = [toolCall("Put", {}), toolCall("Change", {}), toolCall("Put", {}), text("done")];
    const workspace = { cwd: g.project, root: g.project, home: g.home } as Services["workspace"];
    await using t = await openAgent(script, {
      tools: [put, change],
      plugins: [prompt],
      kernel: { services: { workspace } },
    });
    await (await t.agent.send("go")).turn;
    const told = [...t.session.tree].flatMap((event) => (isEvent(event, "harness_item") ? event.text : []));
    expect(told).toEqual(["Use tabs.", "Use spaces."].map((rules) => about("api", "api/AGENTS.md", rules)));
  });

  it("are left out if the system prompt has the same text, as with links to one file", async () => {
    using g = ground();
    g.file("project/AGENTS.md", "Use tabs.");
    g.file("project/api/AGENTS.md", "Use tabs.");
    expect((await turn(g, [["Look", "api/a.ts"]])).told).toEqual([]);
  });

  it("are not read from installed packages, other repositories, or outside of the working directory", async () => {
    using g = ground();
    for (const folder of ["node_modules/left-pad", "cloned", "cloned/src", ".git/x", "../beside"])
      g.file(`project/${folder}/AGENTS.md`, `Rules of ${folder}.`);
    mkdirSync(join(g.project, "cloned/.git"));
    const folders = ["node_modules/left-pad", "cloned", "cloned/src", ".git/x", "../beside"];
    expect(
      (
        await turn(
          g,
          folders.map((folder) => ["Look", `${folder}/a.ts`]),
        )
      ).told,
    ).toEqual([]);
  });

  it("are only named if there is no room for them", async () => {
    using g = ground();
    g.file("project/api/AGENTS.md", "Use tabs. ".repeat(2_000));
    expect((await turn(g, [["Look", "api/a.ts"]])).told).toEqual([
      "api/AGENTS.md has instructions for work in api. Read them before.",
    ]);
  });
});

it("a path that cannot be examined does not make a call fail", async () => {
  using g = ground();
  g.file("project/api/AGENTS.md", "Use tabs.");
  const { told, requests } = await turn(g, [
    ["Look", `api/${"x".repeat(300)}`],
    ["Look", "api/a.ts"],
  ]);
  expect(told).toEqual([about("api", "api/AGENTS.md", "Use tabs.")]);
  expect(requests[1]).toContain("looked");
});
