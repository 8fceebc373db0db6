import { definePlugin } from "@scorel/kernel";
import messages from "@scorel/messages";
import tools from "@scorel/tools";
import type { Tool } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { contained, testKernel } from "../../harness.ts";
import { post } from "./setup.ts";

/** A tool that asks a server about a place. */
function weather(parts: Partial<Tool> = {}): Tool {
  return {
    name: "Weather",
    description: "Tells the weather of a place",
    parameters: { type: "object", properties: { place: { type: "string" } } },
    execute: async () => ({ content: [{ type: "text", text: "rain" }] }),
    ...parts,
  };
}
const about = { about: ({ place }: { place: string }) => place };
const needed = "Weather needs approval, and nobody is there to ask";
const refusal = (why: string) =>
  `Denied: ${why}. Do not work around this. Continue without it, or explain why you need it.`;

/** Why a call about Rome is refused, or `runs`. */
async function judged(parts: Partial<Tool>, config: object) {
  await using p = await post(config, {}, [weather(parts)]);
  return await p.judge("Weather", { place: "rome" });
}

describe("how a call of an extension's tool is approved", () => {
  const asksEachTime = refusal("Weather needs approval each time, and nobody is there to ask");
  it.each<[string, Partial<Tool>, object, string]>([
    ["asks by default", {}, { mode: "edits" }, refusal(needed)],
    ["is free where it only reads", { access: () => "read" }, { mode: "ask" }, "runs"],
    ["is free where it says so, whatever it touches", { approval: "free" }, { mode: "ask" }, "runs"],
    [
      "asks where it says so, though it only reads",
      { access: () => "read", approval: "ask" },
      { mode: "ask" },
      refusal(needed),
    ],
    ["and is then allowed by a rule", { access: () => "read", approval: "ask" }, { allow: ["Weather"] }, "runs"],
    ["or by the mode", { access: () => "read", approval: "ask" }, { mode: "full" }, "runs"],
    ["asks each time, whatever the mode is", { approval: "always-ask" }, { mode: "full" }, asksEachTime],
    ["and whatever rules say", { approval: "always-ask" }, { mode: "full", allow: ["Weather"] }, asksEachTime],
    [
      "is denied by a rule, whatever it says",
      { approval: "free" },
      { mode: "full", deny: ["weather"] },
      refusal('the rule "weather" denies it'),
    ],
    [
      "asks because of a rule, whatever it says",
      { approval: "free" },
      { mode: "full", ask: ["Weather"] },
      refusal('the rule "Weather" asks for approval, and nobody is there to ask'),
    ],
    [
      "depends on its arguments",
      { approval: ({ place }: { place: string }) => (place === "rome" ? "free" : "ask") },
      { mode: "ask" },
      "runs",
    ],
    [
      "asks where its own function fails",
      {
        access: () => "read",
        approval: () => {
          throw new Error("no idea");
        },
      },
      { mode: "ask" },
      refusal(needed),
    ],
    [
      "asks where it writes outside of the project, whatever it says",
      { access: () => ({ writes: ["/etc/hosts"] }), approval: "free" },
      { mode: "ask" },
      refusal(needed),
    ],
    [
      "is refused while planning, where it writes files",
      { access: () => ({ writes: ["/tmp/cache"] }), approval: "free" },
      { mode: "plan" },
      refusal("in plan mode, nothing may be changed"),
    ],
  ])("%s", async (_what, parts, config, expected) => {
    expect(await judged(parts, config)).toBe(expected);
  });
});

describe("a rule with a pattern, for a tool that says what a call is about,", () => {
  it.each<[string, object, string]>([
    ["allows what it matches", { mode: "ask", allow: ["Weather(rome)"] }, "runs"],
    ["allows what its wildcard matches", { mode: "ask", allow: ["Weather(r*e)"] }, "runs"],
    ["allows nothing in other letters", { mode: "ask", allow: ["Weather(Rome)"] }, refusal(needed)],
    ["allows nothing longer", { mode: "ask", allow: ["Weather(rom)"] }, refusal(needed)],
    ["denies in any letters", { mode: "full", deny: ["Weather(ROME)"] }, refusal('the rule "Weather(ROME)" denies it')],
    ["denies nothing else", { mode: "full", deny: ["Weather(paris)"] }, "runs"],
  ])("%s", async (_what, config, expected) => {
    expect(await judged(about, config)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["throws", undefined],
    ["several lines", "rome\nparis"],
    ["invisible characters", "rome\u202e"],
    ["a long text", "r".repeat(501)],
    ["no text", 7],
  ])("allows nothing and denies, if the tool answers %s", async (_what, answer) => {
    const broken = {
      about() {
        if (answer === undefined) throw new Error("no idea");
        return answer as string;
      },
    };
    expect([
      await judged(broken, { mode: "ask", allow: ["Weather(*rome*)"] }),
      await judged(broken, { mode: "full", deny: ["Weather(paris)"] }),
    ]).toEqual([refusal(needed), refusal('the rule "Weather(paris)" denies it')]);
  });

  it.each([
    ["white space around it", "Weather(rome)", " rome\t"],
    ["more white space in it", "Weather(new york)", "new  york"],
    ["other white space in it", "Weather(new york)", "new\u00a0york"],
    ["wide letters", "Weather(rome)", "\uff32\uff4f\uff4d\uff45"],
    ["wide letters in the rule", "Weather(\uff52*)", "rome"],
  ])("denies it with %s, too, and allows it only as it is written", async (_what, rule, place) => {
    await using p = await post({ mode: "full", deny: [rule] }, {}, [weather(about)]);
    expect(await p.judge("Weather", { place })).toBe(refusal(`the rule "${rule}" denies it`));
    await using q = await post({ mode: "ask", allow: [rule] }, {}, [weather(about)]);
    expect(await q.judge("Weather", { place })).toBe(refusal(needed));
  });

  it.each([
    ["two lines", "a\nb"],
    ["no text", ""],
    ["a control character", "\u0000"],
    ["a mark that turns the direction", "\u202erome"],
    ["a long text", "r".repeat(600)],
    ["white space around it", " rome "],
    ["nothing", undefined],
  ])("is not offered for a subject of %s, which can only be allowed once", async (_what, place) => {
    await using p = await post({ mode: "ask" }, {}, [weather(about)]);
    await p.request("attend_requests", {});
    const call = p.judge("Weather", { place });
    const { requestId, options = [], data } = await p.question();
    expect([options.map(({ value }) => value), data]).toMatchObject([["y", "n"], { rules: [] }]);
    await p.request("answer_request", { requestId, answer: "y" });
    expect(await call).toBe("runs");
  });

  it("is what the answers for this session and for always add", async () => {
    await using p = await post({ mode: "ask" }, {}, [weather(about)]);
    await p.request("attend_requests", {});
    const first = p.judge("Weather", { place: "rome *" });
    const { requestId, ...question } = await p.question();
    expect(question).toMatchObject({
      title: "Use the tool Weather?",
      data: { rules: ["Weather(rome \\*)"] },
    });
    await p.request("answer_request", { requestId, answer: "s" });
    expect([await first, await p.judge("Weather", { place: "rome *" })]).toEqual(["runs", "runs"]);
    const other = p.judge("Weather", { place: "rome 2" });
    await p.request("answer_request", { requestId: (await p.question()).requestId, answer: "n" });
    expect(await other).toContain("the user said no");
  });
});

it("asks about each call of an extension's tool again, however often it failed for other arguments", async () => {
  const broken = weather({
    parameters: { type: "object", properties: { url: { type: "string" } } },
    about: ({ url }) => new URL(url).host,
    access: ({ url }) => ({ writes: [new URL(url).pathname] }),
  });
  const own = definePlugin({ id: "own", name: "Own", version: "1.0.0", tools: () => [broken] });
  await using t = await testKernel([messages, tools, contained(own)]);
  const tool = t.kernel.find("tools")?.get("Weather");
  const asked = async (url: string) => [await tool?.about({ url }), await tool?.access({ url })];
  for (let each = 0; each < 4; each++) expect(await asked("no url")).toEqual([null, "exclusive"]);
  expect(await asked("https://rome.example")).toEqual(["rome.example", { writes: ["/"] }]);
});

describe("calls of tools that Scorel does not ship", () => {
  const byRule =
    'no rule allows Weather, and `unknown = "deny"` in [permissions] denies tools that do not come with Scorel';
  it.each<[string, Partial<Tool>, object, string]>([
    ["ask, though they say that they are free", { approval: "free" }, { unknown: "ask", mode: "ask" }, needed],
    ["ask, though they only read", { access: () => "read" }, { unknown: "ask", mode: "ask" }, needed],
    ["are denied", { access: () => "read" }, { unknown: "deny", mode: "full" }, byRule],
  ])("%s, if the configuration says so", async (_what, parts, config, why) => {
    expect(await judged(parts, config)).toBe(refusal(why));
  });

  it("run if a rule allows them", async () => {
    for (const unknown of ["ask", "deny"]) expect(await judged({}, { unknown, allow: ["Weather"] })).toBe("runs");
  });

  it("have no effect on those of Scorel", async () => {
    await using p = await post({ unknown: "deny", mode: "ask" });
    p.file("a.txt", "a");
    expect(await p.judge("Read", { file_path: "a.txt" })).toBe("runs");
  });
});
