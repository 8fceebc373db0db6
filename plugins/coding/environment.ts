import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { ImagesService } from "@scorel/images/contract";
import type { BaseContext } from "@scorel/kernel";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { SecretsService } from "@scorel/model/contract";
import type {} from "@scorel/permissions/contract";
import type { RefsService } from "@scorel/runner/contract";
import type { SandboxService } from "@scorel/sandbox/contract";
import type { BashSettings } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { BYTES_PER_TOKEN } from "./budget.ts";
import { Claims } from "./claims.ts";
import type { FileCoverage } from "./contract.ts";
import { keyStoreTest } from "./key-store.ts";
import type { Spans } from "./uncut.ts";

/** What the tools know of the session around them, asked for at each call. */
export interface Environment {
  readonly workspace: Workspace;
  /** Variables for child processes, without any key. */
  childEnv(): Record<string, string>;
  /** Whether a text holds a secret, which its reader does not see. */
  hidesSecret(text: string): boolean;
  /** Takes secrets out of a text. */
  redact(text: string): string;
  /** Byte ranges of secrets in a whole, for a part of it to be shown. */
  secretsIn(bytes: Buffer): Spans;
  /** Takes secrets out of text that arrives in pieces. */
  redactor(): ReturnType<SecretsService["redactor"]>;
  /** Tokens the model's context holds, and how many are used or claimed. */
  context(): { window: number; used: number };
  /** Says what the result of a running call will take of it, so that calls beside it leave that alone. */
  claim(toolCallId: string, bytes: number): void;
  /** Makes images ready for the model. */
  images(): ImagesService | undefined;
  /** Which files below a folder, by their real paths, a search leaves out. */
  hiddenIn(folder: string, shows: "names" | "contents"): Promise<(path: string) => boolean>;
  /** The paths that a call was approved to read; undefined where nobody judged it by them. */
  approvedReads(toolCallId: string): readonly string[] | undefined;
  /** How `[tools.bash]` wants commands to run. */
  bash(): BashSettings;
  sandbox(): SandboxService | undefined;
  /** Names of files that are no paths. */
  refs(): RefsService | undefined;
  /** The ends of the commands that run now. */
  readonly running: Set<() => Promise<void>>;
  /** Called when the commands have ended, as the session closes. */
  readonly atEnd: (() => void)[];
  /** Calls, by their ids, that may write one path though it is shut: a person has agreed to just that. */
  readonly confirmed: Map<string, string>;
  /** Notes what goes wrong beside the work. */
  report(where: string, thrown: unknown): void;
  readonly sessionId: string;
  /** What the model has seen of a file, by its real path. */
  coverage(path: string): FileCoverage | undefined;
}

/** Assumed while no model is known. */
const DEFAULT_WINDOW = 128_000;

/** Without the service that knows which variables hold keys, only these reach a child. */
const HARMLESS = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "USER", "SHELL"];

/** One for each open session, for the guard to write and the tools to read. */
const confirmations = new WeakMap<BaseContext["session"], Map<string, string>>();

function confirmedIn(session: BaseContext["session"]): Map<string, string> {
  const known = confirmations.get(session) ?? new Map<string, string>();
  confirmations.set(session, known);
  return known;
}

/** Services are looked up at each call; what is absent has a sensible default. */
export function createEnvironment(ctx: BaseContext): Environment {
  let fallback: Workspace | undefined;
  const claims = new Claims(ctx.session);
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
    childEnv: () => ctx.find("secrets")?.childEnv() ?? harmlessEnv(),
    hidesSecret: (text) => (ctx.find("secrets")?.redact(text) ?? text) !== text,
    redact: (text) => ctx.find("secrets")?.redact(text) ?? text,
    secretsIn: (bytes) => ctx.find("secrets")?.spans(bytes) ?? [],
    redactor: () => ctx.find("secrets")?.redactor() ?? { write: (chunk) => chunk, end: () => "" },
    context: () => ({
      window: model()?.contextWindow || DEFAULT_WINDOW,
      used: (ctx.find("agent")?.contextTokens() ?? 0) + claims.total(),
    }),
    claim: (toolCallId, bytes) => claims.claim(toolCallId, Math.ceil(bytes / BYTES_PER_TOKEN)),
    confirmed: confirmedIn(ctx.session),
    running: new Set(),
    atEnd: [],
    images: () => ctx.find("images"),
    hiddenIn: async (folder, shows) => {
      const kept = await ctx.find("permissions")?.hiddenIn(folder, shows);
      const isStore = keyStoreTest(ctx.find("workspace")?.home ?? homedir());
      return (path) => isStore(path) || (kept?.(path) ?? false);
    },
    approvedReads: (toolCallId) => ctx.find("permissions")?.takeReads(toolCallId),
    bash: () => ctx.find("tools")?.bash ?? { sandbox: false, network: false },
    sandbox: () => ctx.find("sandbox"),
    refs: () => ctx.find("refs"),
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

function harmlessEnv(): Record<string, string> {
  const known = HARMLESS.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}
