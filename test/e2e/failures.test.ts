import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/** The ways in which a function of an extension can fail, with its source, which is on line 2 of the file. */
const kinds = {
  "throws an error": '() => { throw new Error("boom"); }',
  "throws null": "() => { throw null; }",
  "rejects later": 'async () => { await new Promise((done) => setTimeout(done, 20)); throw new Error("boom"); }',
  "never settles": "() => new Promise(() => {})",
  "answers 5": "() => 5",
  "is not a function": "5",
};
type Kind = keyof typeof kinds;
/** The reported place: the line that threw, the file if the line is unknown, or nothing if it is no failure. */
type Told = "line" | "file" | "left out: file" | "nothing";

const every = (told: Told[]) => Object.fromEntries(Object.keys(kinds).map((kind, at) => [kind, told[at]]));
/** Awaited functions whose result is ignored. */
const task = every(["line", "file", "line", "file", "nothing", "file"]);
/** Awaited functions whose result is used. */
const question = every(["line", "file", "line", "file", "file", "file"]);
/** Synchronous functions with a typed result, which cannot be a promise. */
const value = every(["line", "file", "file", "file", "file", "file"]);
/** Synchronous functions whose result may be anything. */
const state = every(["line", "file", "file", "file", "nothing", "file"]);
const leftOut = { "is not a function": "left out: file" } as const;

const hook = (name: string) => `hooks: () => ({ ${name}: { handler: fail, limit } })`;
const tool = (name: string, part: string) =>
  `tools: () => [{ name: "${name}", description: "x", parameters: z.object({}), execute: async () => "${name} ran", ${part} }]`;
const event = (part: string) =>
  `events: { note: { schema: z.object({ text: z.string() }), ${part} } }, onEvent: (event, ctx) => event.type === "turn_start" ? ctx.session.append("note", { text: "hi" }) : undefined`;
const projection = (parts: string) => `projections: { counted: { over: "log", ${parts} } }`;

type Places = [id: string, members: string, where: string, told: Record<string, Told | undefined>][];
/** The id of an extension that fails in one place -> its members, the name of the place, and what is reported. */
const places: Places = [
  ["activate", "activate: fail", "start", { ...task, ...leftOut }],
  ["hooks", "hooks: fail", "start", { ...value, ...leftOut }],
  ["before-tool-call", hook("beforeToolCall"), "beforeToolCall|start", question],
  ["approve-tool-call", hook("approveToolCall"), "approveToolCall|start", question],
  ["after-tool-call", hook("afterToolCall"), "afterToolCall|start", question],
  ["transform-context", hook("transformContext"), "transformContext|start", question],
  ["convert-to-llm", hook("convertToLlm"), "convertToLlm|start", question],
  ["prompt-submit", `needs: ["prompt"], ${hook("promptSubmit")}`, "promptSubmit|start", question],
  ["on-event", "onEvent: fail", "onEvent", { ...task, ...leftOut }],
  ["subscribe", "activate: (ctx) => void ctx.subscribe(fail)", "onEvent", task],
  // It is not awaited, and has no time limit of its own.
  ["agent-events", "activate: (ctx) => void ctx.agent.subscribe(fail)", "agent.subscribe", { ...task, "never settles": "nothing" }],
  ["own-tools", "tools: fail", "tools", value],
  ["tool-access", tool("tool-access", "access: fail"), "access of tool|tools", question],
  ["tool-display", tool("tool-display", "display: fail"), "display of tool|tools", value],
  ["prompt-parts", "promptParts: fail", "promptParts", value],
  ["event-shown", event("convertToDisplay: fail"), "convertToDisplay of note", value],
  ["event-read", event("convertToLlm: fail"), "convertToLlm of note", value],
  ["event-heard", event("toListener: fail"), "toListener of note", value],
  ["event-place", event("leaf: fail"), "onEvent", value],
  ["projection-begins", projection("init: fail, update: () => 0"), "start", { ...state, ...leftOut }],
  ["projection", projection("init: () => 0, update: fail"), "projection counted", { ...state, ...leftOut }],
  ["deactivate", "deactivate: fail", "dispose", { ...task, ...leftOut }],
  // Any other result is not a clean-up function.
  ["clean-up", "activate: () => fail", "dispose", { ...task, "is not a function": "nothing" }],
]; // biome-ignore format: a line each

/** Adds a suffix to the names in a member, so that extensions with the same member do not collide. */
const own = (id: string, member: string) =>
  member.replace(/note|counted/g, (name) => `${name}_${id.replaceAll("-", "_")}`);

function sourceOf(id: string, member: string, kind: Kind): string {
  return `import { z } from "zod";
const fail = ${kinds[kind]}; const limit = ${kind === "never settles" ? 100 : 10_000};
export default { id: "${id}", name: "x", version: "1", needs: ["agent"], ${own(id, member)} };
`;
}

/** Runs one turn with all of these extensions, and returns what stderr says about each. */
async function turnBeside(files: ReadonlyMap<string, string>) {
  using s = scratch();
  s.file("a.txt", "content of a\n");
  for (const [id, source] of files) s.file(`~/.scorel/extensions/${id}.ts`, source);
  const calls = ["tool-access", "tool-display"].filter((id) => files.has(id)).map((id) => toolCall(id, {}));
  await using server = await startModelServer([[toolCall("Read", { file_path: "a.txt" }), ...calls], text("done")]);
  s.useModel(server.baseUrl);
  const run = await s.run(["-p", "read it", "--output", "json"]);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ text: "done", stopReason: "stop" });
  const sent = JSON.stringify(server.requests[1]?.body.messages);
  expect(sent).toContain("content of a");
  const lines = run.stderr.split("\n");
  const told = (id: string) => lines.filter((line) => line.includes(`"${id}"`)).join("\n");
  return { sent, told };
}

/**
 * Functions that never settle end at their limits. These add up within a turn, so such extensions are spread over several
 * turns.
 */
function turnsOf(kind: Kind): Places[] {
  const turns = kind === "never settles" ? 4 : 1;
  return Array.from({ length: turns }, (_, turn) => places.filter((_place, at) => at % turns === turn));
}

async function failing(kind: Kind, places: Places) {
  const { sent, told } = await turnBeside(new Map(places.map(([id, member]) => [id, sourceOf(id, member, kind)])));
  const hasTool = places.some(([id]) => id === "tool-display");
  if (hasTool && kind !== "is not a function") expect(sent).toContain("tool-display ran");
  return places.map(([id]) => [id, toldOf(told(id), id)] as const);
}

describe.concurrent("a failure in an extension's code is reported with its place, and the turn succeeds", () => {
  it.each(Object.keys(kinds) as Kind[])("when it %s", { timeout: 180_000 }, async (kind) => {
    const seen = new Map((await Promise.all(turnsOf(kind).map((places) => failing(kind, places)))).flat());
    expect(places.map(([id]) => [id, seen.get(id)])).toEqual(
      places.map(([id, _member, where, { [kind]: expected }]) => {
        if (expected === "nothing" || expected === "left out: file") return [id, expected];
        return [id, expect.stringMatching(new RegExp(`^(${own(id, where)}).*: ${expected}$`))];
      }),
    );
  });

  const loading: [string, string][] = [
    ["throws", 'throw new Error("boom");'],
    ["throws null", "throw null;"],
    ["waits for ever", "await new Promise(() => {});"],
    ["answers 5", "export default 5;"],
    ["answers no plugin later", "export default async () => { throw null; };"],
    ["never answers", "export default () => new Promise(() => {});"],
    ["has needs that are none", 'export default { id: "ID", name: "x", version: "1", needs: 5 };'],
    ["has events that are none", 'export default { id: "ID", name: "x", version: "1", events: { a: 5 } };'],
  ];
  it("when the extension is loaded", { timeout: 60_000 }, async () => {
    const files = new Map(loading.map(([what, code]) => [what.replaceAll(" ", "-"), code]));
    const { told } = await turnBeside(new Map([...files].map(([id, code]) => [id, code.replaceAll("ID", id)])));
    for (const id of files.keys()) expect(told(id)).toMatch(new RegExp(`Extension "${id}" is left out: .*${id}\\.ts`));
  });
});

/** The first place of an extension that stderr names, and whether it includes the line. */
function toldOf(stderr: string, id: string): string {
  const [, where, rest = ""] = /failed in ([^:]+): (.*)/.exec(stderr) ?? [];
  if (where) return `${where}: ${rest.includes(`${id}.ts:2`) ? "line" : rest.includes(`${id}.ts`) ? "file" : rest}`;
  return stderr === "" ? "nothing" : stderr.includes(`${id}.ts`) ? "left out: file" : stderr;
}
