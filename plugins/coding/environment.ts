import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { ImagesService } from "@scorel/images/contract";
import type { PluginContext } from "@scorel/kernel";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { environmentOf } from "@scorel/kit/process/environment";
import type { FilesService } from "@scorel/local/contract";
import type { SecretsService } from "@scorel/model/contract";
import type {} from "@scorel/permissions/contract";
import type { RefsService } from "@scorel/runner/contract";
import type { SandboxService } from "@scorel/sandbox/contract";
import type { BashSettings } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { BYTES_PER_TOKEN } from "./budget.ts";
import { Claims } from "./claims.ts";
import type { FileCoverage } from "./contract.ts";
import { executorOf } from "./executor/executor.ts";
import type { Processes } from "./executor/processes.ts";
import type { Spans } from "./files/uncut.ts";
import { keyStoreTest } from "./guard/key-store.ts";

/** The session as tools see it. Each call looks up the current state. */
export interface Environment {
  readonly workspace: Workspace;
  readonly files: FilesService;
  readonly processes: Processes;
  /** Variables for child processes, without keys. */
  childEnv(): Record<string, string>;
  /** Whether a text contains a secret that is redacted for readers. */
  hidesSecret(text: string): boolean;
  /** Redacts secrets in a text. */
  redact(text: string): string;
  /** Byte ranges of secrets in a whole text, for showing a part of it. */
  secretsIn(bytes: Buffer): Spans;
  /** Redacts secrets in text that arrives in chunks. */
  redactor(): ReturnType<SecretsService["redactor"]>;
  /** The size of the model's context in tokens, and how many are used or reserved. */
  context(): { window: number; used: number };
  /** Reserves context for a running call's result, so that concurrent calls leave it free. */
  claim(toolCallId: string, bytes: number): void;
  /** The service that prepares images for the model. */
  images(): ImagesService | undefined;
  /** A test for files below a folder, by real path, that a search must leave out. */
  hiddenIn(folder: string, shows: "names" | "contents"): Promise<(path: string) => boolean>;
  /** The paths that a call was approved to read; undefined when it was not judged by paths. */
  approvedReads(toolCallId: string): readonly string[] | undefined;
  /** The settings of `[tools.bash]`. */
  bash(): BashSettings;
  sandbox(): SandboxService | undefined;
  /** The service that resolves references to files. */
  refs(): RefsService | undefined;
  /** Returns a text as layers of `beforeStore` want it stored; undefined when there are none. */
  storable(): ((text: string) => Promise<string>) | undefined;
  /** Functions that kill the running commands. */
  readonly running: Set<(limitMs?: number) => Promise<void>>;
  /** Called after the commands have ended, when the session closes. */
  readonly atEnd: (() => void)[];
  /** Approved writes to protected paths: call ids with the path that a person approved. */
  readonly confirmed: Map<string, string>;
  report(where: string, thrown: unknown): void;
  readonly sessionId: string;
  /** The parts of files that the model has read, by real path. */
  coverage(path: string): FileCoverage | undefined;
}

/** The context size if no model is known. */
const DEFAULT_WINDOW = 128_000;

/** The variables that child processes get without the service `secrets`, which knows the variables with keys. */
const HARMLESS = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "USER", "SHELL"];

/**
 * No program may open an editor, in which nobody could type until the time limit. Git then keeps its own message, or says that a commit needs
 * one; other programs fail at once.
 */
const NO_EDITOR = { GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true", EDITOR: "false", VISUAL: "false" };

/** Looks up services at each call; missing ones have defaults. */
export function createEnvironment(ctx: PluginContext<unknown, "files" | "processes">): Environment {
  let fallback: Workspace | undefined;
  const claims = new Claims(ctx.session);
  const executor = executorOf(ctx);
  const model = () => {
    try {
      return ctx.find("model")?.current();
    } catch {
      return undefined; // No model is set; the turn itself reports that.
    }
  };
  return {
    get workspace() {
      const given = ctx.find("workspace");
      if (!given) fallback ??= defaultWorkspace();
      return given ?? (fallback as Workspace);
    },
    get files() {
      return executor.files;
    },
    get processes() {
      return executor.processes;
    },
    childEnv: () => {
      const given = ctx.find("workspace")?.environment;
      const from = given && environmentOf(given);
      return { ...(ctx.find("secrets")?.childEnv(from) ?? harmlessEnv(from ?? process.env)), ...NO_EDITOR };
    },
    hidesSecret: (text) => (ctx.find("secrets")?.redact(text) ?? text) !== text,
    redact: (text) => ctx.find("secrets")?.redact(text) ?? text,
    secretsIn: (bytes) => ctx.find("secrets")?.spans(bytes) ?? [],
    redactor: () => ctx.find("secrets")?.redactor() ?? { write: (chunk) => chunk, end: () => "" },
    context: () => ({
      window: model()?.contextWindow || DEFAULT_WINDOW,
      used: (ctx.find("agent")?.contextTokens() ?? 0) + claims.total(),
    }),
    claim: (toolCallId, bytes) => claims.claim(toolCallId, Math.ceil(bytes / BYTES_PER_TOKEN)),
    confirmed: new Map(),
    running: new Set(),
    atEnd: [],
    images: () => ctx.find("images"),
    hiddenIn: async (folder, shows) => {
      const kept = await ctx.find("permissions")?.hiddenIn(folder, shows);
      const workspace = { home: ctx.find("workspace")?.home ?? homedir() };
      const isStore = await keyStoreTest({ files: executor.files, workspace });
      return (path) => isStore(path) || (kept?.(path) ?? false);
    },
    approvedReads: (toolCallId) => ctx.find("permissions")?.takeReads(toolCallId),
    bash: () => ctx.find("tools")?.bash ?? { sandbox: false, network: false },
    sandbox: () => ctx.find("sandbox"),
    refs: () => ctx.find("refs"),
    storable() {
      const agent = ctx.find("agent");
      return agent?.changesStored ? (text) => agent.storable(text) : undefined;
    },
    report: (where, thrown) => ctx.report(where, thrown),
    sessionId: ctx.session.id,
    coverage: (path) => ctx.session.projection("fileCoverage")[path],
  };
}

function defaultWorkspace(): Workspace {
  const cwd = realpathSync(process.cwd());
  let temp: string | undefined;
  return {
    cwd,
    root: cwd,
    home: homedir(),
    get temp() {
      temp ??= makeTemporaryFolder("scorel-");
      return temp;
    },
    allowWrite: [],
  };
}

function harmlessEnv(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const known = HARMLESS.flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}
