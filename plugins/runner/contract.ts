import type { SandboxEnd } from "@scorel/sandbox/contract";

/** A file that a program left in its workspace. */
export interface OutputFile {
  /** The path relative to the workspace, such as `out/report.txt`. */
  name: string;
  /** `workspace://` followed by `name`. */
  ref: string;
  /** The text, if it was requested and the file is text. */
  content?: string;
  mime_type: string;
  /** The size on disk, in bytes. */
  size_bytes: number;
  /** Set when `content` is incomplete. */
  truncated?: true;
}

/** The JSON result of `skill_run`. */
export interface RunResult {
  output_files: OutputFile[];
  /**
   * The first small text file by name. Its content is included only if `output_files` does not have it. When no files were
   * requested, it is chosen from files that this run wrote.
   */
  primary_output?: OutputFile;
  stdout: string;
  stderr: string;
  /** The exit code; -1 when the program was killed or never ran. */
  exit_code: number;
  timed_out: boolean;
  duration_ms: number;
  artifact_files?: { name: string; version: number }[];
  warnings?: string[];
}

/** A file or folder that a program needs as input. */
export interface RunInput {
  /** `artifact://name[@version]`, `host:///path`, `workspace://path` or `skill://name/path` */
  from: string;
  /** Where to put it, relative to the workspace; `work/inputs/<last name>` by default. */
  to?: string;
  mode?: "copy" | "link";
  /** For an artifact without a version: use the version that was first put at `to` again. */
  pin?: boolean;
}

/** Which files of the workspace to return or save after the run. */
export interface RunOutputs {
  globs: string[];
  inline?: boolean;
  save?: boolean;
  /** A prefix for artifact names. */
  name_template?: string;
  max_files?: number;
  max_file_bytes?: number;
  max_total_bytes?: number;
}

/** The arguments of `skill_run`. */
export interface RunRequest {
  skill: string;
  command: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  inputs?: RunInput[];
  outputs?: RunOutputs;
  output_files?: string[];
  /** Seconds until the program is killed. */
  timeout?: number;
  save_as_artifacts?: boolean;
  omit_inline_content?: boolean;
  artifact_prefix?: string;
  /** Returns while the program runs, with what `skill_session` needs to talk to it. */
  interactive?: boolean;
}

/** The arguments of `skill_session`: write, close or kill; with none of them, wait and return new output. */
export interface SessionRequest {
  session_id: string;
  /** Text for the program: one or more lines. A missing final newline is added, unless `close` is set. */
  write?: string;
  /** Closes the program's input after writing. */
  close?: boolean;
  /** Kills the program and everything it started. */
  kill?: boolean;
  /** Where to read from, as a byte offset in its output. Default: output not returned yet. */
  offset?: number;
  /** The longest time to wait, in milliseconds, at most a minute. Default: a second. */
  yield_ms?: number;
}

/** What a program seems to wait for, guessed from the end of its output. */
export interface Interaction {
  needs_input: true;
  kind: "prompt" | "selection";
  /** The line that looks like a question. */
  hint: string;
}

/** The JSON result of `skill_session` and of an interactive `skill_run`. */
export interface SessionAnswer {
  status: "running" | "exited";
  session_id: string;
  /** Both output streams, in order of arrival. */
  output: string;
  /** Where `output` starts, in UTF-8 bytes from the start of all output; `next_offset` is where it ends. */
  offset: number;
  next_offset: number;
  exit_code?: number;
  interaction?: Interaction;
  /** Set when the program has ended. */
  result?: RunResult;
  warnings?: string[];
}

/** Files that a model names by a reference instead of a path. */
export interface RefsService {
  /** The path of `workspace://name` or `artifact://name[@version]`. Throws RUN_REF, RUN_PATH and ARTIFACT errors. */
  resolve(ref: string): string;
  /** The path of a workspace file with this name, if it exists. Throws RUN_PATH. */
  find(name: string): string | undefined;
  /** The session's workspace folder, if it exists yet. */
  folder(): string | undefined;
}

/** A skill's program that a person runs outside of a conversation. */
export interface DirectRequest {
  request: Pick<RunRequest, "skill" | "command" | "cwd" | "inputs" | "timeout">;
  /** Whether its input comes from `feed_run`; by default the input is empty. */
  stdin?: boolean | undefined;
  /** Files and folders of the host that inputs may come from, in addition to those that `skill_run` allows. */
  host?: string[] | undefined;
  /** A new or empty folder of the host into which the files of out/ are copied. */
  out?: string | undefined;
  /** Keeps the workspace, which is otherwise removed when the program ends. */
  keep?: boolean | undefined;
}

/** A chunk of a program's output. */
export interface DirectOutput {
  from: "stdout" | "stderr";
  base64: string;
}

/** How a program that a person ran ended. */
export interface DirectEnd {
  /** The result as `skill_run` returns it, with the files of out/. */
  result: RunResult;
  /** Absent when the program was killed or never ran. */
  exitCode?: number;
  ended?: NonNullable<SandboxEnd["ended"]>;
  /** Why the program never ran. */
  failed?: string;
  /** All files in out/; `to` is the path of the copy. */
  files: { name: string; size: number; to?: string }[];
  /** Why files of out/ were left out, as sentences. */
  leftOut: string[];
  workspace?: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Starts a skill's program in a new workspace. It is killed when its client disconnects. Throws RUN and SANDBOX errors. */
    run_skill: { params: { sessionId: string } & DirectRequest; result: { run: string } };
    /** Returns new output as soon as there is some, and at the end how the program ended. Throws RUN_UNKNOWN. */
    follow_run: {
      params: { sessionId: string; run: string };
      result: { output: DirectOutput[]; ended?: DirectEnd };
    };
    /**
     * Writes to the program's input; `end` closes it. `open` says whether the program still reads its input. Throws
     * RUN_UNKNOWN.
     */
    feed_run: {
      params: { sessionId: string; run: string; base64: string; end?: boolean | undefined };
      result: { open: boolean };
    };
    /** Kills the program and everything it started; `follow_run` returns how it ended. */
    end_run: { params: { sessionId: string; run: string }; result: Record<string, never> };
  }
}
declare module "@scorel/kernel" {
  interface Services {
    refs: RefsService;
  }
  interface Projections {
    /** Programs that the model believes are running, by their session ids. */
    interactiveRuns: Readonly<Record<string, { skill: string; command: string }>>;
  }
}
