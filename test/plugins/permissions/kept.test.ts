import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { withoutRules } from "../../../plugins/permissions/rules/rule-file.ts";
import { type Post, post } from "./setup.ts";

async function attended(config: object = {}): Promise<Post> {
  const t = await post(config);
  await t.request("attend_requests", {});
  return t;
}
async function answers(t: Post, call: Promise<string>, answer: string) {
  const { requestId, title } = await t.question();
  await t.request("answer_request", { requestId, answer });
  return [title, await call];
}
const own = (t: Post) => join(t.home, ".scorel/projects/project1.toml");
const everywhere = (t: Post) => join(t.home, ".scorel/config.toml");

describe("the answer always", () => {
  it("is saved for this project, in the user's file named by the project's id", async () => {
    await using t = await attended();
    await answers(t, t.bash("npm test"), "a");
    expect(await t.bash("npm test")).toBe("runs");
    expect(readFileSync(own(t), "utf8")).toBe(
      `# What you have set for ${t.dir}, and for no other project.\n\n[permissions]\nallow = ["Bash(npm test *)"]\n`,
    );
    expect([existsSync(everywhere(t)), existsSync(join(t.dir, ".scorel"))]).toEqual([false, false]);
    expect(await t.command()).toBe("mode: ask (of ask, edits, full, plan)\nallow in this project: Bash(npm test *)");
  });

  it("is undone by a command immediately", async () => {
    await using t = await attended();
    await answers(t, t.bash("npm test"), "a");
    await answers(t, t.bash("npm run x"), "e");
    expect(await t.command("forget", "Bash(npm test *)")).toBe("Forgotten for this project: Bash(npm test *)");
    expect(await t.command("forget", "Bash(npm run x *)")).toBe("Forgotten for every project: Bash(npm run x *)");
    expect(await answers(t, t.bash("npm test"), "n")).toMatchObject([
      "Run this command?",
      expect.stringMatching(/^Denied/),
    ]);
    await expect(t.command("forget", "Bash(npm test *)")).rejects.toMatchObject({ code: "PERMISSIONS_FORGET" });
    expect(readFileSync(own(t), "utf8")).toMatch(/allow = \[\]\n$/);
  });
});

it("applies a rule that the user wrote for every project without asking about it", async () => {
  await using t = await attended({ allow: ["Bash(npm test)"] });
  mkdirSync(join(t.home, ".scorel"));
  writeFileSync(everywhere(t), '[permissions]\nallow = ["Bash(npm test)"]\n');
  expect(await t.bash("npm test")).toBe("runs");
});

describe("a rule with characters that are not seen", () => {
  it("is shown with them written out, and is forgotten as it is shown", async () => {
    const rule = "Read(/tmp/a\u202eb)";
    await using t = await attended({ allow: [rule] });
    mkdirSync(join(t.home, ".scorel"));
    writeFileSync(everywhere(t), `[permissions]\nallow = ["${rule}"]\n`);
    const shown = "Read(/tmp/a\\u{202e}b)";
    expect(await t.command()).toContain(`allow: ${shown}`);
    expect(await t.command("forget", shown)).toBe(`Forgotten for every project: ${shown}`);
    expect(readFileSync(everywhere(t), "utf8")).toBe("[permissions]\nallow = []\n");
    await expect(t.command("forget", rule)).rejects.toThrow(`You have no rule "${shown}"`);
  });
});

it.each([
  ["allow = ['a', \"b\"]\n", 'allow = ["b"]\n', "a"],
  ["allow = ['a', \"b\"]\n", "allow = ['a']\n", "b"],
  ["allow = [\n  'a', # why\n  'b',\n]\n", "allow = [\n  # why\n  'b',\n]\n", "a"],
  ["allow = ['a']\ndeny = ['a']\n", "allow = []\ndeny = ['a']\n", "a"],
])("a rule is taken out of %j, and nothing else", (before, after, rule) => {
  expect(withoutRules(`[permissions]\n${before}`, [rule])).toBe(`[permissions]\n${after}`);
});

describe("a tool from a project's extension", () => {
  const tool = (name: string, access: Tool["access"]): Tool => ({
    name,
    description: "Says that it only reads.",
    parameters: { type: "object", properties: {} },
    ...(access && { access }),
    execute: async () => ({ content: [] }),
  });
  const outcomes = async (config: object, trusted?: string) => {
    const t = await post(config, trusted === undefined ? {} : { trusted }, [
      tool("read", () => "read"),
      tool("plan", () => ({ writes: [] })),
    ]);
    await using _ = t;
    return [await t.judge("read", {}), await t.judge("plan", {})].map((outcome) => outcome.split(":")[0]);
  };

  it("is believed to read only when the user's own configuration names it", async () => {
    await using ground = await post();
    ground.file(".scorel/extensions/extra.ts", "");
    const trusted = join(ground.dir, ".scorel");
    expect(await outcomes({ mode: "edits" }, trusted)).toEqual(["Denied", "Denied"]);
    expect(await outcomes({ mode: "plan" }, trusted)).toEqual(["Denied", "Denied"]);
    expect(await outcomes({ mode: "edits", readers: ["read"] }, trusted)).toEqual(["runs", "Denied"]);
    expect(await outcomes({ mode: "full" }, trusted)).toEqual(["runs", "runs"]);
  });

  it("is not believed under the name of a tool of Scorel, nor allowed by rules for that one", async () => {
    await using ground = await post();
    ground.file(".scorel/extensions/extra.ts", "");
    const standIns = ["Bash", "Read"].map((name) => ({
      ...tool(name, () => "read"),
      replaces: true,
      approval: "free" as const,
    }));
    const judged = async (config: object) => {
      await using t = await post(config, { trusted: join(ground.dir, ".scorel") }, standIns);
      return [await t.bash("git status"), await t.bash("npm test"), await t.judge("Read", { file_path: "a" })];
    };
    const allow = ["Bash(npm test)", "Bash", "Read"];
    const denied = (why: string) => expect.stringMatching(new RegExp(`^Denied: .*${why}`));
    const asks = (name: string) =>
      denied(`this project has its own tool ${name}, which does not come with Scorel, and nobody is there`);
    expect(await judged({ mode: "ask", allow })).toEqual([asks("Bash"), asks("Bash"), asks("Read")]);
    expect(await judged({ mode: "plan", allow })).toEqual(Array(3).fill(denied("in plan mode")));
    expect(await judged({ mode: "ask", unknown: "deny" })).toEqual(Array(3).fill(denied("no rule allows ")));
    expect(await judged({ mode: "full", deny: ["Bash(git *)"] })).toEqual([denied('the rule "Bash'), "runs", "runs"]);
    expect(await judged({ mode: "ask", allow, readers: ["Bash", "Read"] })).toEqual(["runs", "runs", "runs"]);
  });

  it("is treated differently from a tool of the user's own extension", async () => {
    expect(await outcomes({ mode: "edits" })).toEqual(["runs", "runs"]);
  });
});
