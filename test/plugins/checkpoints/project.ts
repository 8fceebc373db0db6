import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import agent from "@scorel/agent";
import blobs from "@scorel/blobs";
import checkpoints from "@scorel/checkpoints";
import type { Checkpoint } from "@scorel/checkpoints/contract";
import coding from "@scorel/coding";
import hostPlugin from "@scorel/host";
import type { Client, Operations } from "@scorel/host/contract";
import { type AnyPlugin, createKernel, definePlugin, type Kernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import local from "@scorel/local";
import logs from "@scorel/logs";
import messages from "@scorel/messages";
import model from "@scorel/model";
import tools from "@scorel/tools";
import type { Tool } from "@scorel/tools/contract";
import { z } from "zod";
import { testHeader } from "../../harness.ts";
import { type ModelServer, type Part, type Reply, startModelServer, text, toolCall } from "../../model-server.ts";
import { opener } from "../host/opener.ts";

/** A tool call: the name of the tool and its arguments. */
export type Call = readonly [name: string, args: object];

/** A project, its home, and a session in it whose model replies as the test says. Everything but the model is real. */
export interface Project extends AsyncDisposable {
  /** The project's folder and the home beside it, by their real paths. */
  dir: string;
  home: string;
  sessionId: string;
  client: Client;
  path(name: string): string;
  file(name: string, content: string | Buffer, mode?: number): void;
  text(name: string): string;
  /** Every file of the project but those in .git: path -> mode and content, or `-> target` for a link. */
  tree(): Record<string, string>;
  git(...args: string[]): string;
  /** Runs a turn whose rounds make these calls; returns the events to which it can be rewound. */
  turn(...rounds: Call[][]): Promise<{ user: string; end: string }>;
  /** Adds the model's next reply, for turns that `turn` cannot make. */
  next(reply: Reply | (() => Promise<Reply>)): void;
  bash(...commands: string[]): Promise<{ user: string; end: string }>;
  restore(targetEventId: string, overwrite?: boolean): Promise<Operations["restore_files"]["result"]>;
  preview(targetEventId: string): Promise<Operations["preview_files"]["result"]>;
  changes(): Promise<Operations["list_changes"]["result"]>;
  /** The checkpoints in the session's log, without their version and marks. */
  checkpoints(): Promise<Omit<Checkpoint, "v" | "hidden">[]>;
  /** Paths of the files in the blob store. */
  blobs(): string[];
  /** Closes the session and opens it again. `between` runs while it is closed. */
  reopen(between?: () => void): Promise<void>;
  kernel(): Promise<Kernel>;
}

export interface Options {
  /** Whether the project is no git repository. */
  plain?: boolean;
  /** Files of the first commit, or without git, files of the project. */
  files?: Record<string, string>;
  /** The table `[checkpoints]`. */
  config?: object;
  plugins?: AnyPlugin[];
}

export async function project(options: Options = {}): Promise<Project> {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-checkpoints-")));
  const [dir, home] = [join(base, "project"), join(base, "home")];
  for (const folder of [dir, home]) fs.mkdirSync(folder, { recursive: true });
  const HOME = process.env.HOME;
  process.env.HOME = home;
  const path = (name: string) => join(dir, name);
  const file: Project["file"] = (name, content, mode = 0o644) => {
    fs.mkdirSync(dirname(path(name)), { recursive: true });
    fs.writeFileSync(path(name), content);
    fs.chmodSync(path(name), mode);
  };
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" });
  for (const [name, content] of Object.entries(options.files ?? {})) file(name, content);
  if (!options.plain) commitAll(git);
  const replies: (Reply | (() => Promise<Reply>))[] = [];
  const server = await startModelServer(() => {
    const reply = replies.shift() ?? text("Done.");
    return typeof reply === "function" ? reply() : reply;
  });
  const kernel = await startHost(server, options);
  const host = kernel.find("host") as { connect(options: object): Client };
  let client = host.connect({ clientId: "tester" });
  const { sessionId } = await client.request("create_session", { cwd: dir });
  let calls = 0;
  const turn: Project["turn"] = async (...rounds) => {
    for (const round of rounds)
      replies.push(round.map(([name, args]) => toolCall(name, args, { id: `call${++calls}` })) as Part[]);
    const { id } = await client.request("send_message", { sessionId, content: "go on" });
    const { leafId, error } = await client.request("wait_turn", { sessionId, id });
    if (error) throw new Error(error.message);
    return { user: id, end: leafId as string };
  };
  const open = async () => (await client.request("kernel_of", { sessionId })).kernel;
  return {
    dir,
    home,
    sessionId,
    get client() {
      return client;
    },
    path,
    file,
    text: (name) => fs.readFileSync(path(name), "utf8"),
    tree: () => treeOf(dir),
    git,
    turn,
    next: (reply) => void replies.push(reply),
    bash: (...commands) => turn(...commands.map((command): Call[] => [["Bash", { command }]])),
    restore: (targetEventId, overwrite) =>
      client.request("restore_files", { sessionId, targetEventId, ...(overwrite !== undefined && { overwrite }) }),
    preview: (targetEventId) => client.request("preview_files", { sessionId, targetEventId }),
    changes: () => client.request("list_changes", { sessionId }),
    async checkpoints() {
      await client.request("list_changes", { sessionId });
      return checkpointsIn(await open());
    },
    blobs: () => filesBelow(join(home, ".scorel/blobs")),
    async reopen(between = () => {}) {
      await client.close();
      between();
      client = host.connect({ clientId: "tester" });
      await client.request("load_session", { sessionId });
    },
    kernel: open,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      process.env.HOME = HOME;
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
}

export function commitAll(git: (...args: string[]) => string): void {
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
}

async function startHost(server: ModelServer, { config = {}, plugins = [] }: Options): Promise<Kernel> {
  const origin = "test";
  const modelConfig = {
    type: "custom",
    api: "openai-completions",
    provider: "local",
    id: "m1",
    contextWindow: 100_000,
    maxTokens: 1_000,
    baseUrl: server.baseUrlFor("openai-completions"),
  };
  const entries = [
    { plugin: messages, origin },
    { plugin: model, origin, config: modelConfig },
    { plugin: agent, origin },
    { plugin: tools, origin },
    { plugin: local, origin },
    { plugin: coding, origin },
    // A high limit, since a machine that runs tests may be busy; the limit has separate tests.
    { plugin: checkpoints, origin, config: { maxScanMs: 30_000, ...config } },
    ...[toolbox, ...plugins].map((plugin) => ({ plugin, origin })),
  ];
  const kernel: Kernel = await createKernel({
    entries: [logs, hostPlugin, blobs, opener].map((plugin) => ({ plugin, origin })),
    store: createMemoryStore(testHeader),
    services: { composition: { sessionPlugins: async () => ({ entries, problems: [] }), kernel: () => kernel } },
  });
  return kernel;
}

/** Writes a file, or removes it if there is no content, and declares this in `access`. */
const put: Tool<{ path: string; content?: string }> = {
  name: "Put",
  description: "Puts a file somewhere.",
  parameters: z.object({ path: z.string(), content: z.string().optional() }),
  access: ({ path }) => ({ writes: [join(realFolder(dirname(path)), basename(path))] }),
  async execute(_id, { path, content }) {
    fs.rmSync(path, { force: content !== undefined });
    if (content !== undefined) {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, content);
    }
    return { content: [{ type: "text", text: "put" }] };
  },
};

function realFolder(path: string): string {
  return fs.existsSync(path) ? fs.realpathSync(path) : join(realFolder(dirname(path)), basename(path));
}

const toolbox = definePlugin({ id: "toolbox", name: "Toolbox", version: "1.0.0", tools: () => [put as Tool] });

export function checkpointsIn({ session }: Pick<Kernel, "session">): Omit<Checkpoint, "v" | "hidden">[] {
  return [...session.tree.ofType("custom")].flatMap(({ kind, data }) => {
    if (kind !== "checkpoint") return [];
    const { v: _v, hidden: _hidden, ...rest } = data as Checkpoint;
    return [rest];
  });
}

export function treeOf(dir: string): Record<string, string> {
  const rows = filesBelow(dir, (name) => name !== ".git").map((path): [string, string] => {
    const stat = fs.lstatSync(path);
    const shown = stat.isSymbolicLink()
      ? `-> ${fs.readlinkSync(path)}`
      : `${(stat.mode & 0o777).toString(8)} ${fs.readFileSync(path, "latin1")}`;
    return [path.slice(dir.length + 1), shown];
  });
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function filesBelow(folder: string, wanted = (_name: string) => true): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!wanted(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path, wanted) : [path];
  });
}
