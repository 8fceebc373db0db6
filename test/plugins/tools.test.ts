import { Type } from "@mariozechner/pi-ai";
import { definePlugin, type Services } from "@scorel/kernel";
import tools from "@scorel/tools";
import type { Access, ReadyTool, Tool, ToolOutput, ToolsService } from "@scorel/tools/contract";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { testKernel } from "../harness.ts";
import { fc } from "../property.ts";

const done: ToolOutput = { content: [{ type: "text", text: "done" }] };
const empty = { type: "object", properties: {} };

function tool(name: string, parts: Partial<Tool> = {}): Tool {
  return { name, description: `does ${name}`, parameters: empty, execute: async () => done, ...parts };
}
function plugin(id: string, contributed: unknown) {
  return definePlugin({ id, name: id, version: "1.0.0", tools: () => contributed as Tool[] });
}
async function kernelWith(contributed: unknown, config: Record<string, unknown> = {}) {
  const t = await testKernel([{ plugin: tools, config }, plugin("mine", contributed)]);
  return { ...t, service: t.kernel.find("tools") as ToolsService };
}
/** The only tool, prepared. */
async function ready(parts: Partial<Tool>): Promise<ReadyTool> {
  const { service } = await kernelWith([tool("it", parts)]);
  return service.get("it") as ReadyTool;
}
function note(list: unknown[], item: unknown): ToolOutput {
  list.push(item);
  return done;
}
const run = (it: ReadyTool, params: unknown = {}, signal?: AbortSignal) => it.execute("call", params, signal);

describe("a result that is too large", () => {
  const text = (length: number) => ({ type: "text" as const, text: "x".repeat(length) });
  it.each<[string, ToolOutput["content"], number]>([
    ["one text", [text(5_000_000)], 1_000_000],
    ["many texts", Array.from({ length: 5_000 }, () => text(1_000)), 1_000_000],
    ["many blocks", Array.from({ length: 5_000 }, () => text(1)), 1_000],
  ])("is cut, and model and people are told: %s", async (_what, content, kept) => {
    const t = await kernelWith([tool("it", { execute: async () => ({ content }) })]);
    const output = await run(t.service.get("it") as ReadyTool);
    const told = output.content.pop() as { text: string };
    const total = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
    expect(told.text).toBe(
      `[cut: ${(total - kept).toLocaleString("en")} of its ${total.toLocaleString("en")} characters are left out]`,
    );
    expect(output.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0)).toBe(kept);
    expect(t.kernel.failures).toMatchObject([{ plugin: "mine", where: "tool it", code: "TOOL_RESULT_SIZE" }]);
  });

  it("is cut after secrets were replaced, so that no part of one is left at its end", async () => {
    const key = "sk-test-0123456789";
    const secrets = { redact: (given: string) => given.replaceAll(key, "[redacted]") } as Services["secrets"];
    const content = [{ type: "text", text: `${"x".repeat(999_990)}${key}${"x".repeat(100)}` }];
    const cut = tool("it", { execute: async () => ({ content }) as ToolOutput });
    const t = await testKernel([tools, plugin("mine", [cut])], { services: { secrets } });
    const output = await run(t.kernel.find("tools")?.get("it") as ReadyTool);
    expect((output.content[0] as { text: string }).text).toBe(`${"x".repeat(999_990)}[redacted]`);
  });

  it("is kept if a model could read it", async () => {
    const content = [text(999_000), { type: "image" as const, data: "aGk=", mimeType: "image/png" }];
    const t = await kernelWith([tool("it", { execute: async () => ({ content }) })]);
    expect(await run(t.service.get("it") as ReadyTool)).toEqual({ content });
    expect(t.kernel.failures).toEqual([]);
  });
});

describe("the registry", () => {
  it("offers contributed tools sorted by name, so that the load order does not change requests", async () => {
    const t = await testKernel([tools, plugin("one", [tool("B"), tool("A")]), plugin("two", tool("C"))]);
    expect(
      t.kernel
        .find("tools")
        ?.list()
        .map(({ name }) => name),
    ).toEqual(["A", "B", "C"]);
    expect(t.kernel.failures).toEqual([]);
  });

  it("offers tools with a position after the others, in their order", async () => {
    const late = [tool("A", { position: 1 }), tool("D", { position: 0 }), tool("C"), tool("B")];
    const { kernel, service } = await kernelWith([...late, tool("x", { position: "first" as never })]);
    expect(service.list().map(({ name }) => name)).toEqual(["B", "C", "D", "A"]);
    expect(kernel.failures.map(({ message }) => message)).toEqual([
      expect.stringContaining("its position is not a number"),
    ]);
  });

  it("tells what a call touches; if unknown, it may touch anything", async () => {
    const access = (parts: Partial<Tool>) => ready(parts).then((it) => it.access({ path: "/a" }));
    const writes = ({ path }: { path: string }) => ({ writes: [path] });
    const broken = () => Promise.reject(new Error("no such path"));
    expect(
      await Promise.all([{ access: writes }, { access: () => "read" as const }, {}, { access: broken }].map(access)),
    ).toEqual([{ writes: ["/a"] }, "read", "exclusive", "exclusive"]);
  });

  it("suggests the probable word for a misspelt field of a tool that is left out", async () => {
    const { execute, description, parameters } = tool("slip");
    const typed = (type: string) => ({ type: "object", properties: { type: { type: "array", items: { type } } } });
    const bad = [
      { name: "t0", description, parameters, excute: execute },
      { name: "t1", description, execute, params: parameters, parameter: parameters },
      { name: "t2", desciption: description, parameters, execute },
      { name: "t3", description, execute, parameters: typed("strng") },
      { name: "t4", description, execute, parameters: { type: "objekt" } },
      { name: "t5", desciption: description, paramters: parameters, exceute: execute },
    ];
    const { kernel, service } = await kernelWith(bad as never);
    expect(service.list()).toEqual([]);
    expect(kernel.failures.map(({ message }) => message.split("skipped: ")[1])).toEqual([
      'it has no execute function; it has "excute", which is probably meant to be "execute".',
      'it has no parameters; it has "parameter", which is probably meant to be "parameters".',
      'it has no description; it has "desciption", which is probably meant to be "description".',
      'it has no description; it has "desciption", which is probably meant to be "description"; it has no parameters; it has "paramters", which is probably meant to be "parameters"; it has no execute function; it has "exceute", which is probably meant to be "execute".',
      'its schema has the type "strng", which is probably meant to be "string".',
      'its parameters are of type "objekt", which is probably meant to be "object"; they must be an object.',
    ]);
  });

  it("leaves out an invalid tool, and names its plugin and its mistake", async () => {
    const bad = [
      { ...tool("no spaces") },
      { ...tool("mute"), description: "" },
      { ...tool("bare"), parameters: undefined },
      { ...tool("idle"), execute: "later" },
      { ...tool("odd"), access: "read" },
      { ...tool("list"), parameters: z.array(z.string()) },
      { ...tool("never"), parameters: 7 },
      { ...tool("old"), parameters: { _def: {}, safeParse: () => ({}) } },
      null,
    ];
    const { kernel, service } = await kernelWith([...bad, tool("good")]);
    expect(service.list().map(({ name }) => name)).toEqual(["good"]);
    const said = (name: string, reason: string) => `The tool "${name}" of plugin "mine" was skipped: ${reason}.`;
    expect(kernel.failures.map(({ code }) => code)).toEqual(bad.map(() => "TOOL_INVALID"));
    expect(kernel.failures.map(({ message }) => message).sort()).toEqual(
      [
        said("no spaces", "its name must be 1 to 64 letters, digits, _ or -"),
        said("mute", "it has no description"),
        said("bare", "it has no parameters; use an empty object schema if it takes none"),
        said("idle", "it has no execute function"),
        said("odd", "its access is not a function"),
        said("list", 'its parameters are of type "array"; they must be an object'),
        said("never", "its parameters are not a schema; use JSON Schema, TypeBox or zod"),
        said("old", "its parameters are a zod 3 schema; use zod 4"),
        said("?", "it is not an object"),
      ].sort(),
    );
  });

  it("uses the first of two tools with the same name", async () => {
    const first = tool("same", { description: "first" });
    const t = await testKernel([
      tools,
      plugin("one", [first]),
      plugin("two", [tool("same", { description: "second" })]),
    ]);
    expect(
      t.kernel
        .find("tools")
        ?.list()
        .map(({ description }) => description),
    ).toEqual(["first"]);
    expect(t.kernel.failures.map(({ code }) => code)).toEqual(["TOOL_DUPLICATE"]);
  });

  describe("given a tool with a name that is in use", () => {
    const of = async (config: Record<string, unknown>, ...parts: Partial<Tool>[]) => {
      const plugins = parts.map((each, index) =>
        plugin(`p${index}`, [tool("same", { description: `${index}`, ...each })]),
      );
      const t = await testKernel([{ plugin: tools, config }, ...plugins]);
      const told = t.kernel
        .find("tools")
        ?.list()
        .map(({ description }) => description);
      const codes = t.kernel.failures.map(({ plugin, code }) => (code === "TOOL_DUPLICATE" ? plugin : code));
      return { told, codes };
    };
    const replaces = { replaces: true };
    // The columns are: title, configuration, the tools of the plugins p0, p1, …, the tool that is used, and the plugins
    // that are told that their tool is left out.
    it.each<[string, Record<string, unknown>, Partial<Tool>[], string, string[]]>([
      ["keeps the first", {}, [{}, {}], "0", ["p1"]],
      ["takes one that says so itself", {}, [{}, replaces], "1", []],
      ["takes the last of those that say so, and tells the other", {}, [{}, replaces, replaces], "2", ["p1"]],
      ["takes one that the configuration names", { replace: ["same"] }, [{}, {}], "1", []],
      ["leaves one that does not say so behind one that did", {}, [{}, replaces, {}], "1", []],
      ["takes a first one that says so", {}, [replaces, {}], "0", []],
      ["leaves out what is no answer to that", {}, [{}, { replaces: "yes" as never }], "0", ["TOOL_INVALID"]],
      ["says which name nobody contributes", { replace: ["smae"] }, [{}], "0", ["TOOL_NOT_CONTRIBUTED"]],
    ])("%s", async (_what, config, parts, told, codes) => {
      expect(await of(config, ...parts)).toEqual({ told: [told], codes });
    });

    it("takes one of a plugin that names it in `replaces`", async () => {
      const later = { ...plugin("later", [tool("same", { description: "later" }), tool("own")]), replaces: ["same"] };
      const t = await testKernel([tools, plugin("first", [tool("same"), tool("own")]), later]);
      expect(t.kernel.find("tools")?.list().map(({ name, plugin }) => [name, plugin])).toEqual([
        ["own", "first"],
        ["same", "later"],
      ]); // biome-ignore format: short
      expect(t.kernel.failures.map(({ plugin, code }) => [plugin, code])).toEqual([["later", "TOOL_DUPLICATE"]]);
    });

    it("keeps the first of two from the same plugin", async () => {
      const { service, kernel } = await kernelWith([tool("same"), tool("same", { description: "2", replaces: true })]);
      expect(service.list().map(({ description }) => description)).toEqual(["does same"]);
      expect(kernel.failures.map(({ code }) => code)).toEqual(["TOOL_DUPLICATE"]);
    });
  });

  it.each([
    ["all", [], ["Bash", "Read", "mine"]],
    ["coding", [], ["Bash", "Read", "mine"]],
    ["readonly", [], ["Read"]],
    ["readonly", ["mine"], ["Read", "mine"]],
    ["none", [], []],
    ["none", ["Bash"], ["Bash"]],
  ])("with preset %s and %j offers %j", async (preset, allow, expected) => {
    const { service } = await kernelWith([tool("Read"), tool("Bash"), tool("mine")], { preset, allow });
    expect(service.list().map(({ name }) => name)).toEqual(expected);
  });

  it("does not offer what `without` names, whatever else says so", async () => {
    const config = { preset: "readonly", allow: ["mine"], without: ["mine", "Grep", "Raed"] };
    const { service, kernel } = await kernelWith([tool("Read"), tool("Grep"), tool("mine")], config);
    expect(service.list().map(({ name }) => name)).toEqual(["Read"]);
    expect(kernel.failures.map(({ message }) => message)).toEqual([
      '[tools] without names "Raed" (did you mean "Read"?), which no loaded plugin contributes. Correct the name, or load the plugin that contributes it.',
    ]);
  });

  it("reports an allowed name that no plugin contributes", async () => {
    const { service, kernel } = await kernelWith([], { allow: ["Raed"] });
    expect(service.list()).toEqual([]);
    expect(kernel.failures.map(({ message }) => message)).toEqual([
      '[tools] allow names "Raed", which no loaded plugin contributes. Correct the name, or load the plugin that contributes it.',
    ]);
  });

  it("shows a call as a card unless the tool has its own display", async () => {
    const own = tool("own", { display: (params: { of: string }) => ({ display: "badge", text: params.of }) });
    const broken = tool("broken", {
      display: () => {
        throw new Error("no picture");
      },
    });
    const { service, kernel } = await kernelWith([own, broken]);
    expect(service.display("own", { of: "art" }, done)).toEqual({ display: "badge", text: "art" });
    const card = { display: "card", title: 'broken {"a":1}', status: "done", text: "done" };
    expect(service.display("broken", { a: 1 }, done)).toEqual(card);
    expect(service.display("gone", {}, undefined)).toEqual({ ...card, title: "gone", status: "running", text: "" });
    expect(kernel.failures.map(({ message }) => message)).toEqual(["no picture"]);
  });
});

describe("parameters", () => {
  it("that were refused are shown as the model wrote them, not by the tool", async () => {
    const display = ({ of }: { of: string }) => ({ display: "badge" as const, text: `of ${of}` });
    const { service } = await kernelWith([tool("own", { parameters: z.strictObject({ of: z.string() }), display })]);
    const failed = { ...done, isError: true };
    expect(service.display("own", { of: "art" }, failed)).toEqual({ display: "badge", text: "of art" });
    expect(service.display("own", { off: 1 }, failed)).toMatchObject({ title: 'own {"off":1}', status: "error" });
  });

  it("that are invalid, or still arriving, are no fault of a tool that cannot show them", async () => {
    const display = ({ of }: { of: string[] }) => ({ display: "badge" as const, text: of.join(" ") });
    const parameters = z.strictObject({ of: z.array(z.string()) });
    const { service, kernel } = await kernelWith([tool("own", { parameters, display })]);
    expect(service.display("own", { of: ["a", "b"] }, undefined)).toEqual({ display: "badge", text: "a b" });
    expect(service.display("own", { off: 1 }, undefined)).toMatchObject({ title: 'own {"off":1}', status: "running" });
    expect(kernel.failures).toEqual([]);
  });

  it("in zod become JSON Schema once, and zod's defaults and transforms reach the tool", async () => {
    const seen: unknown[] = [];
    const parameters = z.object({ size: z.int().default(3), word: z.string().transform((s) => s.toUpperCase()) });
    const it = await ready({ parameters, execute: async (_id, params) => note(seen, params) });
    expect(it.parameters).toEqual({
      type: "object",
      properties: { size: { default: 3, type: "integer" }, word: { type: "string" } },
      required: ["word"],
    });
    expect(it.parameters).toBe(it.parameters);
    await run(it, { word: "a" });
    await run(it, it.validate({ word: "b" }));
    expect(seen).toEqual([
      { size: 3, word: "A" },
      { size: 3, word: "B" },
    ]);
  });

  it("in JSON Schema and TypeBox stay unchanged", async () => {
    const json = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const box = Type.Object({ n: Type.Integer() });
    expect((await ready({ parameters: json })).parameters).toBe(json);
    expect((await ready({ parameters: box })).parameters).toBe(box);
    expect((await ready({ parameters: { ...json, $schema: "x" } })).parameters).toEqual(json);
    expect((await ready({ parameters: {} })).parameters).toEqual(empty);
  });

  it.each([
    ["zod", z.object({ n: z.int().min(1) })],
    ["JSON Schema", { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }],
    ["TypeBox", Type.Object({ n: Type.Integer({ minimum: 1 }) })],
  ])("in %s are enforced when arguments are validated again", async (_kind, parameters) => {
    const it = await ready({ parameters });
    expect(it.validate({ n: 1 })).toEqual({ n: 1 });
    for (const args of [{ n: 0 }, { n: "1" }, {}])
      expect(() => it.validate(args)).toThrow(/^Validation failed for tool "it":\n {2}- n: [\s\S]*Received arguments/);
  });

  it("are validated again as far as possible", async () => {
    const parameters = {
      type: "object",
      properties: { if: { type: "string", format: "email" }, not: { enum: [1, 2] } },
      required: ["if"],
      not: { required: ["a"] },
      dependentRequired: { b: ["c"] },
    };
    const it = await ready({ parameters });
    expect(it.parameters).toBe(parameters);
    const args = { if: "no address", b: 1 };
    expect(it.validate(args)).toEqual(args);
    for (const wrong of [{}, { if: 1 }, { if: "a", not: 3 }])
      expect(() => it.validate(wrong)).toThrow("Validation failed");
  });

  it("have their references inlined", async () => {
    const parameters = {
      type: "object",
      properties: { from: { $ref: "#/$defs/point", description: "start" }, to: { $ref: "#/$defs/a~1b" } },
      $defs: { point: { type: "object", properties: { x: { $ref: "#/$defs/a~1b" } } }, "a/b": { type: "number" } },
    };
    const x = { type: "number" };
    expect((await ready({ parameters })).parameters).toEqual({
      type: "object",
      properties: { from: { type: "object", properties: { x }, description: "start" }, to: x },
    });
  });

  it("that refer to themselves or elsewhere, or have an unknown type, are refused", async () => {
    const node = z.object({
      get next() {
        return node.optional();
      },
    });
    const self = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: { a: { items: { $ref: "#/$defs/a" } } },
    };
    const away = { type: "object", properties: { a: { $ref: "https://example.com/a" } } };
    const lost = { type: "object", properties: { a: { $ref: "#/$defs/a" } } };
    const { kernel, service } = await kernelWith([
      tool("zod", { parameters: node }),
      tool("self", { parameters: self }),
      tool("away", { parameters: away }),
      tool("lost", { parameters: lost }),
      tool("file", { parameters: { type: "object", properties: { a: { type: "file" } } } }),
    ]);
    expect(service.list()).toEqual([]);
    const reasons = kernel.failures.map(({ message }) => message.replace(/^.*skipped: /, ""));
    expect(reasons).toEqual([
      expect.stringContaining("its zod schema cannot be converted to JSON Schema (Cycle detected"),
      expect.stringContaining("it refers to itself (#/$defs/a)"),
      expect.stringContaining('does not begin with "#/"'),
      expect.stringContaining("does not exist"),
      expect.stringContaining('its schema has the type "file", which JSON Schema does not have'),
    ]);
  });

  it("repair common mistakes of models", async () => {
    const parameters = z.object({
      note: z.string().optional(),
      unset: z.string().nullable().optional(),
      must: z.string().nullable(),
      list: z.array(z.object({ n: z.number().optional() })).optional(),
      either: z.union([z.string(), z.array(z.string())]).optional(),
    });
    const it = await ready({ parameters });
    expect(
      it.prepareArguments({ note: null, unset: null, must: null, list: '[{"n":null}]', either: "[]", other: null }),
    ).toEqual({
      unset: null,
      must: null,
      list: [{}],
      either: "[]",
      other: null,
    });
    expect(it.prepareArguments('{"must":"a"}')).toEqual({ must: "a" });
    expect(it.prepareArguments(null)).toEqual({});
    expect(it.prepareArguments({ list: "not json" })).toEqual({ list: "not json" });
  });

  it("are first prepared by the tool itself", async () => {
    const parameters = z.object({ path: z.string(), deep: z.boolean().optional() });
    const it = await ready({
      parameters,
      prepareArguments: (raw) => ({ path: (raw as { file: string }).file, deep: null }),
    });
    expect(it.prepareArguments({ file: "a" })).toEqual({ path: "a" });
  });

  it("convert numbers and booleans that a model wrote as text, and keep text where text is expected", async () => {
    const parameters = z.object({
      n: z.number(),
      i: z.int(),
      b: z.boolean(),
      s: z.string(),
      either: z.union([z.string(), z.number()]),
    });
    const it = await ready({ parameters });
    expect(it.prepareArguments({ n: "1.5", i: "5", b: "true", s: "5", either: "5" })).toEqual({
      n: 1.5,
      i: 5,
      b: true,
      s: "5",
      either: "5",
    });
    expect(it.prepareArguments({ n: "many", i: "1.5", b: "yes" })).toEqual({ n: "many", i: "1.5", b: "yes" });
  });
});

describe("results", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const text = (value: string) => ({ content: [{ type: "text", text: value }] });
  const image = { type: "image", data: "AA==", mimeType: "image/png" };

  it.each([
    [undefined, text("(no output)")],
    [null, text("(no output)")],
    [{}, text("(no output)")],
    ["words", text("words")],
    [42, text("42")],
    [{ content: "words" }, text("words")],
    [{ content: [] }, text("(no output)")],
    [
      { content: ["a", { type: "text", text: "b" }, image, { odd: 1 }] },
      { content: [...text("a").content, ...text("b").content, image, ...text('{"odd":1}').content] },
    ],
    [{ rows: 2 }, text('{"rows":2}')],
    [
      { content: "no", isError: true, details: { a: 1 }, terminate: true },
      { ...text("no"), isError: true, details: { a: 1 }, terminate: true },
    ],
    [{ content: "yes", isError: false }, text("yes")],
    [{ content: "kept", details: circle }, text("kept")],
  ])("of %j are normalised", async (answer, expected) => {
    expect(await run(await ready({ execute: async () => answer as ToolOutput }))).toEqual(expected);
  });

  it("of a failing tool are errors that a model can read, also if it throws synchronously", async () => {
    const execute = () => {
      throw Object.assign(new Error("disk full"), { code: "ENOSPC" });
    };
    expect(await run(await ready({ execute }))).toEqual({
      ...text("disk full"),
      isError: true,
      details: { code: "ENOSPC" },
    });
  });

  it("are reported while the tool runs, and never after", async () => {
    const heard: ToolOutput[] = [];
    let late: ((partial: ToolOutput) => void) | undefined;
    const it = await ready({
      execute: async (_id, _params, _signal, onUpdate) => {
        late = onUpdate;
        onUpdate?.("half" as unknown as ToolOutput);
        return done;
      },
    });
    await it.execute("call", {}, undefined, (partial) => heard.push(partial));
    late?.(text("late") as ToolOutput);
    expect(heard).toEqual([text("half")]);
  });

  it("of a tool that ignores the signal are not waited for", async () => {
    const control = new AbortController();
    const it = await ready({
      execute: (_id, _params, _signal, onUpdate) => {
        onUpdate?.(text("so far") as ToolOutput);
        control.abort();
        return new Promise(() => {});
      },
    });
    await expect(run(it, {}, control.signal)).rejects.toMatchObject({
      code: "TOOL_CANCELLED",
      message: "it was cancelled before it finished. Its output so far:\nso far",
    });
  });

  it("say what a tool has done that ends soon after the abort", async () => {
    const control = new AbortController();
    const it = await ready({
      execute: async () => {
        control.abort();
        await new Promise((next) => setImmediate(next));
        return { ...text("the first half"), isError: true } as ToolOutput;
      },
    });
    expect(await run(it, {}, control.signal)).toEqual({ ...text("the first half"), isError: true });
  });

  it("of a long output that is cut say how much is missing", async () => {
    const control = new AbortController();
    const it = await ready({
      execute: (_id, _params, _signal, onUpdate) => {
        onUpdate?.(text("x".repeat(10_005)) as ToolOutput);
        control.abort();
        return new Promise(() => {});
      },
    });
    await expect(run(it, {}, control.signal)).rejects.toMatchObject({
      message: `it was cancelled before it finished. Its output so far:\n[5 characters before this are cut]\n${"x".repeat(10_000)}`,
    });
  });

  it("of a call that begins after an abort do not exist", async () => {
    const ran: unknown[] = [];
    const it = await ready({ execute: async (id) => note(ran, id) });
    await expect(run(it, {}, AbortSignal.abort())).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
    expect(ran).toEqual([]);
  });
});

describe("a batch", () => {
  /** Tools that take their access as an argument, record what they do, and end when told to. */
  async function workshop() {
    const story: string[] = [];
    const ends = new Map<string, () => void>();
    const it = tool("work", {
      parameters: { type: "object" },
      access: ({ access }: { access?: Access }) => {
        if (access === undefined) throw new Error("who knows");
        return access;
      },
      execute: (id) => {
        story.push(`start ${id}`);
        return new Promise((resolve) => ends.set(id, () => resolve(done)));
      },
    });
    const { service } = await kernelWith([it]);
    const work = service.get("work") as ReadyTool;
    const start = (id: string, access: Access | undefined, signal?: AbortSignal) =>
      work.execute(id, { access }, signal).then(() => {
        story.push(`end ${id}`);
        service.settle(id);
      });
    return { story, ends, service, start };
  }
  const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

  it("runs reads in parallel, and a write waits for them", async () => {
    const { story, ends, service, start } = await workshop();
    service.beginBatch(["a", "b", "c"].map((id) => ({ id, name: "work", arguments: {} })));
    const all = [start("c", { writes: ["/x"] }), start("a", "read"), start("b", "read")];
    await turnOfTheLoop();
    expect(story).toEqual(["start a", "start b"]);
    ends.get("b")?.();
    await turnOfTheLoop();
    expect(story).toEqual(["start a", "start b", "end b"]);
    ends.get("a")?.();
    await turnOfTheLoop();
    ends.get("c")?.();
    await Promise.all(all);
    expect(story).toEqual(["start a", "start b", "end b", "end a", "start c", "end c"]);
  });

  it("does not wait for a call that never ran", async () => {
    const { story, service, start } = await workshop();
    service.beginBatch(["blocked", "next"].map((id) => ({ id, name: "work", arguments: {} })));
    void start("next", "exclusive");
    await turnOfTheLoop();
    expect(story).toEqual([]);
    service.settle("blocked");
    await turnOfTheLoop();
    expect(story).toEqual(["start next"]);
  });

  it("never starts a waiting call after an abort", async () => {
    const { story, ends, service, start } = await workshop();
    const control = new AbortController();
    service.beginBatch(["a", "b"].map((id) => ({ id, name: "work", arguments: {} })));
    const first = start("a", "exclusive");
    const second = start("b", "read", control.signal);
    await turnOfTheLoop();
    control.abort();
    await expect(second).rejects.toMatchObject({ code: "TOOL_CANCELLED" });
    ends.get("a")?.();
    await first;
    await turnOfTheLoop();
    expect(story).toEqual(["start a", "end a"]);
  });

  it("keeps the source order of any two conflicting calls, and runs others in parallel", async () => {
    const paths = fc.constantFrom("/a", "/A", "/a/b", "/c", "/d");
    const access = fc.oneof(
      fc.constantFrom<Access | undefined>("read", "exclusive", undefined),
      fc.record({ writes: fc.uniqueArray(paths, { maxLength: 2 }) }),
    );
    const order = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(access, { minLength: 1, maxLength: 7 }), order, async (accesses, choices) => {
        const { story, ends, service, start } = await workshop();
        const ids = accesses.map((_, index) => `${index}`);
        service.beginBatch(ids.map((id) => ({ id, name: "work", arguments: {} })));
        const shuffled = [...ids].sort((a, b) => at(choices, a) - at(choices, b));
        const all = shuffled.map((id) => start(id, accesses[Number(id)]));
        const running = new Set<string>();
        for (let step = 0; step < ids.length; step++) {
          await turnOfTheLoop();
          const started = story.filter((line) => line.startsWith("start")).map((line) => line.slice(6));
          const ended = new Set(story.filter((line) => line.startsWith("end")).map((line) => line.slice(4)));
          expect(started.sort()).toEqual(allowed(accesses, ended));
          for (const id of started) if (!ended.has(id)) running.add(id);
          const next = [...running][(choices[step % choices.length] ?? 0) % running.size] as string;
          running.delete(next);
          ends.get(next)?.();
        }
        await Promise.all(all);
      }),
      { numRuns: 150 },
    );
  });
  const at = (choices: number[], id: string) => choices[Number(id) % choices.length] ?? 0;

  /** A simple model of which calls may have started: all whose earlier conflicting calls have ended. */
  function allowed(accesses: (Access | undefined)[], ended: Set<string>): string[] {
    const free = (index: number) =>
      accesses.slice(0, index).every((other, i) => ended.has(`${i}`) || !clash(other, accesses[index]));
    return accesses.map((_, index) => `${index}`).filter((_, index) => free(index));
  }
  function clash(a: Access = "exclusive", b: Access = "exclusive"): boolean {
    if (a === "exclusive" || b === "exclusive") return true;
    if (a === "read") return b !== "read" && b.writes.length > 0;
    if (b === "read") return a.writes.length > 0;
    return a.writes.some((x) => b.writes.some((y) => related(x.toLowerCase(), y.toLowerCase())));
  }
  const related = (x: string, y: string) => x === y || `${x}/`.startsWith(`${y}/`) || `${y}/`.startsWith(`${x}/`);
});
