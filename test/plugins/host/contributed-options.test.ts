import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import type { SessionOption } from "@scorel/workspace/contract";
import { expect, it } from "vitest";
import { z } from "zod";
import { optionFlags, optionsFrom } from "../../../plugins/host/session-options.ts";
import { assertWithinLocks } from "../../../plugins/host/sessions/locked-options.ts";
import { shippedOptions } from "../../../plugins/host/shipped-options.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

const tone: SessionOption = {
  key: "tone",
  kind: ["kind", "dry"],
  flag: { flags: "--tone <name>", description: "How the model talks" },
  short: { flag: { flags: "--so-dry", description: "Like --tone dry" }, value: "dry" },
};

/** A plugin of the host that contributes these options, which may be invalid. */
function contributing(id: string, ...options: unknown[]): AnyPlugin {
  const plugin = { id, name: id, version: "1.0.0", scope: "host", sessionOptions: () => options };
  return definePlugin(plugin as never);
}

/** A plugin of sessions that adds the value of the option `tone` to `found`. */
function reader(found: unknown[]): AnyPlugin {
  return definePlugin({
    id: "reader",
    name: "Reader",
    version: "1.0.0",
    needs: ["workspace"],
    activate: (ctx) => void found.push((ctx.workspace as unknown as Record<string, unknown>).tone),
  });
}

it("a plugin's option reaches the session's plugins, also after a reload", async () => {
  using home = testHome();
  const found: unknown[] = [];
  await using t = await testHost([echoAgent, reader(found)], [], [contributing("tones", tone)]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, tone: "dry" } as { cwd: string });
  await ask(t.client, sessionId, "hi");
  await t.client.request("reload_session", { sessionId });
  await t.client.request("create_session", { cwd: home.cwd });
  expect(found).toEqual(["dry", "dry", undefined]);
  const other = { sessionId, tone: "kind" } as { sessionId: string };
  await expect(t.client.request("load_session", other)).rejects.toMatchObject({
    code: "HOST_SESSION_OPTIONS",
    message: expect.stringContaining("is already open with other values of tone"),
  });
});

it("a plugin's option is checked, and unknown without the plugin", async () => {
  using home = testHome();
  await using t = await testHost([], [], [contributing("tones", tone)]);
  await using plain = await testHost();
  const request = { cwd: home.cwd, tone: "loud" } as { cwd: string };
  await expect(t.client.request("create_session", request)).rejects.toThrow('tone: it must be "kind" or "dry"');
  await expect(plain.client.request("create_session", request)).rejects.toThrow('there is no "tone" here');
});

it("an option is given by its flag, or by its short one", async () => {
  await using t = await testHost([], [], [contributing("tones", tone)]);
  const known = t.kernel.find("sessionOptions")?.known();
  expect(optionFlags(known).slice(-2)).toEqual([
    { ...tone.flag, values: tone.kind },
    { ...tone.short?.flag, means: { option: "--tone", value: "dry" } },
  ]);
  expect(optionsFrom({ tone: "kind" }, known)).toMatchObject({ tone: "kind" });
  expect(optionsFrom({ soDry: true }, known)).toMatchObject({ tone: "dry" });
});

it.each([
  ["permission", "Scorel"],
  ["cwd", "Scorel"],
  ["tone", 'plugin "tones"'],
  ["constructor", "Scorel"],
  ["output", "Scorel"],
])("the name %s is taken: %s", async (key, owner) => {
  const second = contributing("second", { key, kind: "text" }, { key: "mood", kind: "text" });
  await using t = await testHost([], [], [contributing("tones", tone), second]);
  const known = t.kernel.find("sessionOptions")?.known([{ flags: "--output <format>", description: "" }]);
  expect(known).toEqual([...shippedOptions, tone, { key: "mood", kind: "text" }]);
  const message = `The session option "${key}" of plugin "second" is left out: ${owner} already uses that name. Give it another name.`;
  expect(t.kernel.failures).toMatchObject([
    { plugin: "second", where: "sessionOptions", code: "HOST_OPTION_TAKEN", message },
  ]);
});

it.each<[unknown, string]>([
  ["tone", "option: it must be an object"],
  [{ key: "tone" }, 'kind: it must be "text", "texts", "switch" or a list of words'],
  [{ key: "The tone", kind: "text" }, "key: it must be of the form"],
  [
    { key: "tone", kind: "text", flag: { flags: "--mood <name>", description: "" } },
    "flag: it must be named like the key",
  ],
  [{ key: "tone", kind: "text", flag: { flags: "--tone", description: "" } }, "flag: it must have a value"],
  [{ key: "tone", kind: "switch", flag: { flags: "--tone <name>", description: "" } }, "flag: it must have a value"],
  [{ ...tone, short: { flag: tone.flag, value: "dry" } }, "short: it must have no value"],
  [{ ...tone, short: { ...tone.short, value: "loud" } }, "short: its value must be one of the kind"],
])("an invalid option is left out, as a failure of its plugin: %j", async (option, problem) => {
  await using t = await testHost([], [], [contributing("tones", option)]);
  expect(t.kernel.find("sessionOptions")?.known()).toEqual(shippedOptions);
  expect(t.kernel.failures).toMatchObject([
    { plugin: "tones", code: "HOST_OPTIONS", message: expect.stringContaining(problem) },
  ]);
});

it("the options must be a list", async () => {
  const wrong = { id: "tones", name: "Tones", version: "1", scope: "host", sessionOptions: () => tone };
  await using t = await testHost([], [], [definePlugin(wrong as never)]);
  expect(t.kernel.find("sessionOptions")?.known()).toEqual(shippedOptions);
  expect(t.kernel.failures).toMatchObject([{ plugin: "tones", code: "HOST_OPTIONS" }]);
});

it("an option of a plugin cannot widen a locked setting: by the order of its schema, or from the configured value", () => {
  const config = z.strictObject({
    tone: z.enum(["rude", "dry", "kind"]).default("dry").meta({ layers: "narrow", unset: "dry" }),
    voice: z.string().optional(),
  });
  const plugin = definePlugin({ id: "tones", name: "Tones", version: "1.0.0", config });
  const entries = [{ plugin, config: { voice: "low" }, origin: "test" }];
  const rows: SessionOption[] = [
    { key: "tone", kind: ["rude", "dry", "kind"], setting: "tones.tone" },
    { key: "voice", kind: "text", setting: "tones.voice" },
  ];
  const check = (options: object, setting: string) => () =>
    assertWithinLocks(options, rows, { entries, locks: [{ setting, preset: "team", place: "/team.toml:2" }] });
  expect(check({ tone: "kind", voice: "low" }, "tones")).not.toThrow();
  expect(check({ tone: "dry" }, "tones.tone")).not.toThrow();
  expect(check({ tone: "rude" }, "tones.tone")).toThrow(
    'The session option "tone" cannot be "rude": the preset "team" (/team.toml:2) locks tones.tone, which is not set. Leave the option out.',
  );
  expect(check({ voice: "high" }, "tones")).toThrow('locks tones.voice, which is "low". Leave the option out');
  expect(check({ tone: "rude", voice: "high" }, "tonesetter")).not.toThrow();
});
