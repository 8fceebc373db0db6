import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import artifacts from "@scorel/artifacts";
import type { ArtifactsService, SessionArtifacts } from "@scorel/artifacts/contract";
import blobs from "@scorel/blobs";
import coding from "@scorel/coding";
import diagnostics from "@scorel/diagnostics";
import type { AnyPlugin } from "@scorel/kernel";
import runner from "@scorel/runner";
import type { RunRequest, RunResult, SessionAnswer, SessionRequest } from "@scorel/runner/contract";
import sandbox from "@scorel/sandbox";
import { onTestFinished } from "vitest";
import type { Script } from "../../model-server.ts";
import { addSkill, type Ground, ground, openSkills, type SkillsTest, skillText } from "../skills/setup.ts";

/** What keeps programs from the host, where it works. */
export const confines = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;

export interface Shop extends AsyncDisposable {
  g: Ground;
  artifacts: SessionArtifacts;
  /** The session's workspace. */
  workspace: string;
  /** Puts a skill into the home, or changes it. */
  skill(name: string, files?: Record<string, string>): Promise<void>;
  /** What the tool Read answers. */
  read(args: object): Promise<string>;
  /** Starts a program to speak with. */
  begin(request: Partial<RunRequest> & { command: string }, signal?: AbortSignal): Promise<SessionAnswer>;
  /** Speaks with it, as `skill_session` does. */
  say(request: SessionRequest, signal?: AbortSignal): Promise<SessionAnswer>;
  t: SkillsTest;
  /** Answers the result, or rejects with what the model would be told. */
  run(request: Partial<RunRequest> & { command: string }, signal?: AbortSignal): Promise<RunResult>;
}

/** What a shop has otherwise than the shipped presets. */
interface Otherwise {
  /** In the place of the plugin `sandbox`. */
  sandbox?: AnyPlugin;
  /** Without the plugin. */
  artifacts?: false;
}

/** A session with the skill `math` whose programs run as a user's do. */
export async function shop(
  table: object = {},
  executor = confines ? "bubblewrap" : "local",
  script: Script = [],
  otherwise: Otherwise = {},
): Promise<Shop> {
  const g = ground();
  const HOME = process.env.HOME;
  process.env.HOME = g.home;
  onTestFinished(() => {
    process.env.HOME = HOME;
  });
  addSkill(g, "math", { "scripts/fib.py": fib });
  mkdirSync(join(g.home, "temp"));
  const t = await openSkills(g, script, {
    workspace: { file: join(g.home, "log"), temp: join(g.home, "temp") },
    plugins: [
      blobs,
      ...(otherwise.artifacts === false ? [] : [artifacts]),
      coding,
      diagnostics,
      otherwise.sandbox ?? { plugin: sandbox, config: { executor } },
      { plugin: runner, config: table },
    ] as never,
  });
  const tools = t.kernel.find("tools");
  const call = async (name: string, args: object, signal?: AbortSignal) => {
    const tool = tools?.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    const asked = tool.validate(tool.prepareArguments(args));
    const { content, isError } = await tool.execute("call", asked, signal);
    const { text } = content[0] as { text: string };
    if (isError) throw new Error(text);
    return JSON.parse(text);
  };
  const read = async (args: object) => {
    const tool = tools?.get("Read");
    if (!tool) throw new Error("no tool Read");
    const { content } = await tool.execute("call", tool.validate(tool.prepareArguments(args)), undefined);
    return (content[0] as { text: string }).text;
  };
  return {
    g,
    read,
    get artifacts() {
      return (t.kernel.find("artifacts") as ArtifactsService).of(t.session);
    },
    get workspace() {
      return join(realpathSync(g.home), ".scorel/workspaces", t.session.id, "ws");
    },
    async skill(name, files = {}) {
      addSkill(g, name, files, skillText(name, `All of ${name}`));
      await t.skills.refresh();
    },
    run: (request, signal) => call("skill_run", { skill: "math", ...request }, signal),
    begin: (request, signal) => call("skill_run", { skill: "math", ...request, interactive: true }, signal),
    say: (request, signal) => call("skill_session", request, signal),
    t,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const fib = `import sys
a, b = 0, 1
for _ in range(int(sys.argv[1])):
    print(a)
    a, b = b, a + b
`;
