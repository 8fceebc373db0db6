/** What confines a program. `local` limits only its time, sizes and environment. */
export type ExecutorName = "bubblewrap" | "docker" | "podman" | "local";

/** A host path that is visible at the same path inside. */
export interface SandboxMount {
  /** Absolute and real. If mounts are nested, the later one wins. */
  path: string;
  access: "read" | "write";
}

export interface SandboxLimits {
  /** Seconds until the program and all its processes are killed. */
  seconds: number;
  /** CPU seconds for each process. */
  cpuSeconds: number;
  /** Memory of all processes together, in bytes. */
  memoryBytes: number;
  processes: number;
  /** The largest file, in bytes. */
  fileBytes: number;
}

/** A program and everything it may access. */
export interface SandboxJob {
  /** The program, found on the sandbox's own PATH, and its arguments. */
  argv: readonly [string, ...string[]];
  /** Absolute; at or below one of the mounts. */
  cwd: string;
  /** The complete environment, except for PATH, HOME, LANG and TMPDIR, which have defaults. */
  env?: Readonly<Record<string, string>>;
  mounts: readonly SandboxMount[];
  /** By default there is no network. */
  network?: boolean;
  /** Missing limits come from the configuration. */
  limits?: Partial<SandboxLimits>;
}

export interface SandboxOptions {
  signal?: AbortSignal | undefined;
  /** Receives output as it arrives, in whole characters. The receiver must limit what it keeps. */
  onOutput?(text: string, from: "stdout" | "stderr"): void;
  /** Receives output byte for byte. While the returned promise is pending, no more of that stream is read. */
  onBytes?(bytes: Uint8Array, from: "stdout" | "stderr"): Promise<void> | void;
  /** Leaves stdin open for `write`; by default it is closed. */
  interactive?: boolean;
}

export interface SandboxEnd {
  /**
   * The program's exit code, or 128 plus the number of the signal that ended it; absent when Scorel killed it or it
   * never ran.
   */
  exitCode?: number;
  /** Why the program never ran; `exitCode` and `ended` are absent then. */
  failed?: string;
  /** Why Scorel killed the program. */
  ended?: "timeout" | "cancelled" | "killed" | "memory" | "processes";
  durationMs: number;
}

/** A running program. */
export interface SandboxRun {
  readonly executor: ExecutorName;
  /** Throws SANDBOX_STDIN when the program no longer reads. */
  write(text: string | Uint8Array): Promise<void>;
  closeStdin(): void;
  /** Kills the program and all its processes, and resolves when they are gone. */
  kill(): Promise<void>;
  /** Settles when the program and all its processes have ended. Never rejects. */
  readonly ended: Promise<SandboxEnd>;
}

/** A program as a command that the caller starts and ends. */
export interface SandboxCommand {
  executor: ExecutorName;
  /** An absolute path. */
  file: string;
  args: string[];
  /** The environment of the command itself; the program's own environment is part of it or of `args`. */
  env: Record<string, string>;
  /** Must be called after the command has ended. Also kills processes that the caller cannot reach. */
  release(): Promise<void>;
}

/** Whether an executor works on this machine. */
export interface ExecutorState {
  executor: ExecutorName;
  /** Why it does not work. */
  problem?: string;
}

/** Runs untrusted programs. */
export interface SandboxService {
  /**
   * The executor that would run the next program. Throws SANDBOX_NONE, which lists what was tried and the setting that
   * decides.
   */
  executor(): Promise<ExecutorName>;
  /** Starts a program. Throws SANDBOX_NONE, SANDBOX_JOB for an invalid job, and SANDBOX_START. */
  start(job: SandboxJob, options?: SandboxOptions): Promise<SandboxRun>;
  /**
   * Returns a command for the caller to start. It lacks the limits that need a watcher: on time, and unless the
   * executor enforces them, on memory and processes together. Throws like `start`.
   */
  command(job: SandboxJob): Promise<SandboxCommand>;
  /**
   * Tries each confining executor by running a program that does nothing, in the order in which `auto` prefers them.
   */
  examine?(): Promise<ExecutorState[]>;
}

declare module "@scorel/kernel" {
  interface Services {
    sandbox: SandboxService;
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** Executor for programs of skills; overrides the configuration. */
    sandbox?: "auto" | ExecutorName | undefined;
  }
}
