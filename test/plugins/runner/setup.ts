import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import artifactsPlugin from "@scorel/artifacts";
import type { ArtifactsService, ArtifactVersion, Replay, SessionArtifacts } from "@scorel/artifacts/contract";
import blobs from "@scorel/blobs";
import type { BlobStore } from "@scorel/blobs/contract";
import coding from "@scorel/coding";
import diagnostics from "@scorel/diagnostics";
import type { Operation, OperationHandler, Operations } from "@scorel/host/contract";
import type { AnyPlugin, Services } from "@scorel/kernel";
import local from "@scorel/local";
import runner from "@scorel/runner";
import type { RunRequest, RunResult, SessionAnswer, SessionRequest } from "@scorel/runner/contract";
import sandbox from "@scorel/sandbox";
import { onTestFinished } from "vitest";
import type { RunRecord } from "../../../plugins/runner/replay/record.ts";
import type { Script } from "../../model-server.ts";
import { executor as testExecutor } from "../../optional.ts";
import { addSkill, type Ground, ground, openSkills, type SkillsTest, skillText } from "../skills/setup.ts";

export interface Shop extends AsyncDisposable {
  g: Ground;
  artifacts: SessionArtifacts;
  /** The session's workspace. */
  workspace: string;
  /** Writes a skill into the home, or changes it. */
  skill(name: string, files?: Record<string, string>): Promise<void>;
  /** The result of the tool Read. */
  read(args: object): Promise<string>;
  /** Starts an interactive program. */
  begin(request: Partial<RunRequest> & { command: string }, signal?: AbortSignal): Promise<SessionAnswer>;
  /** Calls `skill_session` for it. */
  say(request: SessionRequest, signal?: AbortSignal): Promise<SessionAnswer>;
  t: SkillsTest;
  /** Returns the result, or rejects with the error for the model. */
  run(request: Partial<RunRequest> & { command: string }, signal?: AbortSignal): Promise<RunResult>;
  /** Runs an operation of the session, for a client that leaves with `left`. */
  request<O extends Operation>(
    operation: O,
    params: Omit<Operations[O]["params"], "sessionId">,
    left?: AbortSignal,
  ): Promise<any>;
  /** Replays an artifact's first version. */
  replay(name: string, more?: { keep?: boolean }): Promise<Replay>;
  makeAgain(artifact: ArtifactVersion, more?: { keep?: boolean }): Promise<Replay>;
  /** The run record of an artifact's first version. */
  record(name: string): RunRecord;
  /** Changes the run record of an artifact, and replays it. */
  replayAs(name: string, record: Partial<RunRecord>): Promise<Replay>;
}

export const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** Differences from the shipped presets. */
interface Otherwise {
  /** Replaces the plugin `sandbox`. */
  sandbox?: AnyPlugin;
  /** More settings of the table `[sandbox]`. */
  table?: object;
  /** Leaves out the plugin. */
  artifacts?: false;
  /** In addition to the log and a folder for temporary files. */
  workspace?(g: Ground): Partial<Services["workspace"]>;
}

/** A session with the skill `math`, whose programs run as in normal use. */
export async function shop(
  table: object = {},
  executor: string = testExecutor,
  script: Script = [],
  otherwise: Otherwise = {},
): Promise<Shop> {
  const g = ground();
  const HOME = process.env.HOME;
  process.env.HOME = g.home;
  onTestFinished(() => {
    process.env.HOME = HOME;
    // Programs may have left folders that are closed or deeper than a path may be long, which only these commands can remove.
    execFileSync("sh", ["-c", 'chmod -R u+rwX "$0"; rm -rf "$0"', g.home]);
  });
  addSkill(g, "math", { "scripts/fib.py": fib });
  mkdirSync(join(g.home, "temp"));
  const t = await openSkills(g, script, {
    workspace: { file: join(g.home, "log"), temp: join(g.home, "temp"), ...otherwise.workspace?.(g) },
    plugins: [
      blobs,
      ...(otherwise.artifacts === false ? [] : [artifactsPlugin]),
      local,
      coding,
      diagnostics,
      otherwise.sandbox ?? { plugin: sandbox, config: { executor, ...otherwise.table } },
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
  const artifacts = () => (t.kernel.find("artifacts") as ArtifactsService).of(t.session);
  const request: Shop["request"] = async (operation, params, left = new AbortController().signal) => {
    const handler = t.kernel.collect("operations").findLast(({ value }) => operation in value)?.value[operation];
    const context = {
      look: async (_id: string, work: (handle: object) => unknown) => work({ kernel: t.kernel }),
      left: () => left,
      assertPath: async () => {},
      resolve: (id: string) => id,
    };
    return (handler as OperationHandler<any>).run({ sessionId: t.session.id, ...params } as never, context as never);
  };
  const makeAgain: Shop["makeAgain"] = (artifact, more = {}) => request("make_again", { artifact, ...more });
  const store = t.kernel.find("blobs") as BlobStore;
  const first = (name: string) => artifacts().versions(name)[0] as ArtifactVersion;
  const record = (name: string) => store.readList(first(name).lineage?.run?.sha256 ?? "") as RunRecord;
  return {
    g,
    read,
    get artifacts() {
      return artifacts();
    },
    request,
    makeAgain,
    replay: async (name, more) => makeAgain(first(name), more),
    record,
    replayAs: async (name, changed) => {
      const run = { sha256: store.putList({ ...record(name), ...changed }) };
      return makeAgain({ ...first(name), lineage: { by: "runner", run } });
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
