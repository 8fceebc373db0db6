import { describe, expect, it } from "vitest";
import { projectDir } from "../../plugins/kit/files/home.ts";
import { resolve } from "../../presets/composition/resolution.ts";
import { type Place, place } from "./place.ts";
import { desk } from "./session-desk.ts";

/** The layers that a session in the trusted project gets. */
function resolved({ project }: Place, preset = "team") {
  const dir = projectDir(project);
  return resolve({ preset, by: "--preset", cwd: project, project: dir ? { dir, trusted: true } : undefined });
}

const refusal = (at: Place, preset?: string) =>
  resolved(at, preset).then(
    () => ({ code: "none", lines: [] as string[] }),
    ({ code, message }: { code: string; message: string }) => ({ code, lines: message.split("\n") }),
  );

const plugin = (id: string) => `export default { id: "${id}", name: "${id}", version: "1.0.0", needs: [] };`;

/** Writes a team's preset that locks these keys. */
function team(at: Place, locks: readonly string[], ...more: string[]) {
  return at.file(
    "~/.scorel/presets/team/preset.toml",
    'extends = "coding"',
    `locked = ${JSON.stringify(locks)}`,
    ...more,
  );
}

describe("a locked setting", () => {
  it("is not widened by options when a session is opened", async () => {
    using at = place();
    const lock = team(at, ["permissions.mode", "sandbox"], "[permissions]", 'mode = "ask"');
    at.file("a.ts");
    await using t = await desk(at, { preset: "team" });
    const { sessionId } = await t.client.request("create_session", { cwd: at.project, permission: "plan" });
    await t.client.request("close_session", { sessionId });
    const refused = {
      code: "HOST_OPTION_LOCKED",
      message: `The session option "permission" cannot be "full": the preset "team" (${lock}:2) locks permissions.mode, which is "ask". Leave the option out, or use a stricter value.`,
    };
    const opened = { permission: "full" } as const;
    await expect(t.client.request("create_session", { cwd: at.project, ...opened })).rejects.toMatchObject(refused);
    await expect(t.client.request("create_session", { cwd: at.project, sandbox: "local" })).rejects.toMatchObject({
      code: "HOST_OPTION_LOCKED",
    });
    const kept = await t.client.request("create_session", { cwd: at.project, permission: "ask", name: "kept" });
    const { kernel } = await t.inside(kept.sessionId);
    await kernel.session.append("message", { message: { role: "user", content: "hello", timestamp: 1 } });
    await t.client.request("close_session", { sessionId: kept.sessionId });
    const stored = kept.sessionId;
    await expect(t.client.request("load_session", { sessionId: stored, ...opened })).rejects.toMatchObject(refused);
    await expect(t.client.request("clone_session", { sessionId: stored, ...opened })).rejects.toMatchObject(refused);
    await expect(t.client.request("continue_session", { cwd: at.project, ...opened })).rejects.toMatchObject(refused);
    await expect(t.say(stored, "/permission full")).rejects.toMatchObject({ code: "PERMISSIONS_LOCKED" });
  });

  it("cannot be set in a project's config.toml and presets; the error names both places", async () => {
    using at = place();
    const lock = team(at, ["permissions.mode", "agent"], "[permissions]", 'mode = "ask"');
    const config = at.file(".scorel/config.toml", "[permissions]", 'mode = "plan"', 'allow = ["Bash(ls)"]');
    const preset = at.file(".scorel/presets/team.toml", "[agent]", "idleTimeout = 7");
    expect(await refusal(at)).toEqual({
      code: "CONFIG_LOCKED",
      lines: [
        `permissions.mode is locked (${lock}:2), so a project cannot set it (${config}:2)`,
        `agent.idleTimeout is locked (${lock}:2), so a project cannot set it (${preset}:2)`,
      ],
    });
  });

  it("includes the keys below it and the tables around it", async () => {
    using at = place();
    team(at, ["permissions", "tools.preset"]);
    at.file(".scorel/config.toml", "[permissions]", 'deny = ["Bash"]', "[tools.preset]", "x = 1");
    expect((await refusal(at)).lines.map((line) => line.split(" ")[0])).toEqual(
      expect.arrayContaining(["permissions.deny", "tools.preset.x"]),
    );
  });

  it("does not affect other settings, nor projects that do not use the preset", async () => {
    using at = place();
    team(at, ["permissions.mode"]);
    at.file(".scorel/config.toml", "[permissions]", 'allow = ["Bash(ls)"]', "[agent]", "idleTimeout = 7");
    const { merged } = await resolved(at);
    expect(merged.tables).toMatchObject({ permissions: { allow: ["Bash(ls)"] }, agent: { idleTimeout: 7 } });
    at.file(".scorel/config.toml", "[permissions]", 'mode = "plan"');
    expect((await resolved(at, "coding")).merged.tables).toEqual({ permissions: { mode: "plan" } });
  });

  it("can be changed by the user, in config.toml and in presets below or above it", async () => {
    using at = place();
    team(at, ["permissions.mode"], "[permissions]", 'mode = "ask"');
    at.file("~/.scorel/presets/team.toml", "[permissions]", 'mode = "edits"');
    const mode = async () => (await resolved(at)).merged.tables.permissions;
    expect(await mode()).toEqual({ mode: "edits" });
    at.file("~/.scorel/config.toml", "[permissions]", 'mode = "full"');
    expect(await mode()).toEqual({ mode: "full" });
  });

  it("protects its plugin from `without`, from [extensions] disabled, and from being replaced", async () => {
    using at = place();
    const lock = team(at, ["rules.level", "commands", "checkpoints"]);
    const rules = at.file("~/.scorel/presets/team/extensions/rules.ts", plugin("rules"));
    const config = at.file(".scorel/config.toml", 'without = ["rules"]', "[extensions]", 'disabled = ["commands"]');
    const other = at.file(".scorel/extensions/rules.ts", plugin("rules"));
    expect(await refusal(at)).toEqual({
      code: "CONFIG_LOCKED",
      lines: [
        `"rules" is locked (${lock}:2), so a project cannot leave it out (${config}:1)`,
        `"commands" is locked (${lock}:2), so a project cannot leave it out (${config}:3)`,
        `"rules" is locked (${lock}:2), so a project cannot put its own extension in its place (${other})`,
      ],
    });
    at.file(".scorel/config.toml");
    at.file("~/.scorel/presets/team/preset.toml", 'extends = "coding"');
    expect((await resolved(at)).extensions.map(({ path }) => path)).toEqual([other]);
    expect(rules).not.toBe(other);
  });

  it("protects its extension from being replaced by one of a project's preset", async () => {
    using at = place();
    team(at, ["rules"]);
    at.file("~/.scorel/presets/team/extensions/rules.ts", plugin("rules"));
    at.file(".scorel/presets/team/preset.toml");
    const other = at.file(".scorel/presets/team/extensions/rules.ts", plugin("rules"));
    expect((await refusal(at)).lines).toEqual([expect.stringContaining(`its own extension in its place (${other})`)]);
  });

  it("keeps a plugin switched off that was locked while off", async () => {
    using at = place();
    const lock = team(at, ["checkpoints", "commands"], 'without = ["checkpoints"]');
    const config = at.file(".scorel/config.toml", 'use = ["checkpoints", "commands"]');
    expect(await refusal(at)).toEqual({
      code: "CONFIG_LOCKED",
      lines: [`"checkpoints" is locked and switched off (${lock}:2), so a project cannot use it (${config}:1)`],
    });
  });

  it("also applies if the project chooses the preset itself, and to its other presets", async () => {
    using at = place();
    const lock = team(at, ["permissions.mode"], "[permissions]", 'mode = "ask"');
    const loose = at.file("~/.scorel/presets/loose.toml", "[permissions]", 'mode = "full"');
    at.file(".scorel/config.toml", 'extends = "team"');
    expect((await resolved(at, "coding")).merged.tables.permissions).toEqual({ mode: "ask" });
    const refused = {
      code: "CONFIG_LOCKED",
      lines: [`permissions.mode is locked (${lock}:2), so a project cannot set it (${loose}:2)`],
    };
    at.file(".scorel/config.toml", 'extends = ["team", "loose"]');
    expect(await refusal(at, "coding")).toEqual(refused);
    at.file(".scorel/config.toml", 'extends = "loose"');
    expect(await refusal(at)).toEqual(refused);
    at.file(".scorel/config.toml", 'extends = ["loose", "team"]');
    expect(await refusal(at, "coding")).toEqual(refused);
  });

  it("can be set by the presets that the locking preset extends", async () => {
    using at = place();
    at.file("~/.scorel/presets/team-base.toml", "[permissions]", 'mode = "ask"');
    at.file("~/.scorel/presets/team.toml", 'extends = ["coding", "team-base"]', 'locked = ["permissions.mode"]');
    at.file(".scorel/config.toml", 'extends = "team"');
    expect((await resolved(at, "coding")).merged.tables.permissions).toEqual({ mode: "ask" });
  });

  it("must be an existing key, since a misspelt one would protect nothing", async () => {
    using at = place();
    const file = team(at, ["permisions.mode", "permissions.mod", "permissions.mode.x", "a b", "model.baseUrl"]);
    expect(await refusal(at)).toEqual({
      code: "CONFIG_INVALID",
      lines: [
        `"locked" names permisions.mode, but there is no plugin or extension "permisions" (${file}:2). Did you mean "permissions"?`,
        `"locked" names permissions.mod, but [permissions] has no such key (${file}:2)`,
        `"locked" takes key paths, not "a b" (${file}:2)`,
      ],
    });
  });

  it("has no effect in a project's own files, and a notice says so", async () => {
    using at = place();
    const file = at.file(".scorel/config.toml", 'locked = ["permissions.mode"]', "[permissions]", 'mode = "plan"');
    const text = `"locked" has no effect in a project's own files, because no layer overrides them (${file}:1)`;
    expect((await resolved(at, "coding")).notices).toEqual([{ code: "CONFIG_NO_EFFECT", text, where: `${file}:1` }]);
  });
});
