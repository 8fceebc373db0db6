/** What keeps a program within bounds. `local` keeps it within none but time, sizes and its own environment. */
export type ExecutorName = "bubblewrap" | "docker" | "podman" | "local";

/** A host path, seen inside at the same place. */
export interface SandboxMount {
  /** Absolute and real. Where mounts lie in each other the later one counts. */
  path: string;
  access: "read" | "write";
}

export interface SandboxLimits {
  /** Seconds until everything is ended. */
  seconds: number;
  /** Seconds of processor time, for each process. */
  cpuSeconds: number;
  /** Bytes of memory, for all processes together. */
  memoryBytes: number;
  processes: number;
  /** Bytes that one file may grow to. */
  fileBytes: number;
}

/** A program and all that it may see. */
export interface SandboxJob {
  /** Program and arguments, found on the sandbox's own PATH. */
  argv: readonly [string, ...string[]];
  /** Absolute; at or below one of the mounts. */
  cwd: string;
  /** Its whole environment, but for PATH, HOME, LANG and TMPDIR, which have defaults. */
  env?: Readonly<Record<string, string>>;
  mounts: readonly SandboxMount[];
  /** Default: no network at all. */
  network?: boolean;
  /** Those left out are the ones of the configuration. */
  limits?: Partial<SandboxLimits>;
}

export interface SandboxOptions {
  signal?: AbortSignal | undefined;
  /** Output as it comes, whole characters; whoever keeps it bounds it. */
  onOutput?(text: string, from: "stdout" | "stderr"): void;
  /** The same byte for byte. While what it answers is pending nothing more of that stream is read, so it has to settle. */
  onBytes?(bytes: Uint8Array, from: "stdout" | "stderr"): Promise<void> | void;
  /** Leaves stdin open for `write`. Default: closed. */
  interactive?: boolean;
}

export interface SandboxEnd {
  /** 128 and the signal's number when a signal ended it; absent when it was ended from here, or never ran. */
  exitCode?: number;
  /** Why the program never ran; then nothing else is said. */
  failed?: string;
  /** Why it was ended from here: what it used too much of, or who ended it. */
  ended?: "timeout" | "cancelled" | "killed" | "memory" | "processes";
  durationMs: number;
}

/** A program that runs. */
export interface SandboxRun {
  readonly executor: ExecutorName;
  /** Throws SANDBOX_STDIN when it no longer reads. */
  write(text: string | Uint8Array): Promise<void>;
  closeStdin(): void;
  /** Resolves when nothing of it is left. */
  kill(): Promise<void>;
  /** Never rejects; settles when the program and all that came from it have ended. */
  readonly ended: Promise<SandboxEnd>;
}

/** The same program as a command that the caller starts and ends itself. */
export interface SandboxCommand {
  executor: ExecutorName;
  /** Absolute path. */
  file: string;
  args: string[];
  /** Of the command itself; what the program gets is among it or in `args`. */
  env: Record<string, string>;
  /** To be called when it has ended, and to end what the caller cannot reach. */
  release(): Promise<void>;
}

/** Runs programs that nobody vouches for. */
export interface SandboxService {
  /** What would run a program now. Throws SANDBOX_NONE, which says what was tried and which setting decides. */
  executor(): Promise<ExecutorName>;
  /** Throws SANDBOX_NONE, SANDBOX_JOB for a job that makes no sense, SANDBOX_START when it could not be started. */
  start(job: SandboxJob, options?: SandboxOptions): Promise<SandboxRun>;
  /** Without the limits on time, memory and processes that need a watcher. Throws as `start` does. */
  command(job: SandboxJob): Promise<SandboxCommand>;
}

declare module "@scorel/kernel" {
  interface Services {
    sandbox: SandboxService;
  }
}
