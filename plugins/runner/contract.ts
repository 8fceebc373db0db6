import type { SandboxEnd } from "@scorel/sandbox/contract";

/** A file that a program left in its workspace. */
export interface OutputFile {
  /** Below the workspace: `out/report.txt`. */
  name: string;
  /** `workspace://` and the name. */
  ref: string;
  /** Only of text, and only when it was asked for. */
  content?: string;
  mime_type: string;
  /** On disk. */
  size_bytes: number;
  /** `content` is not all of it. */
  truncated?: true;
}

/** What `skill_run` answers, as JSON. */
export interface RunResult {
  output_files: OutputFile[];
  /** The first of the small text files, by name: its content only where `output_files` does not say it, of what this run wrote when nothing was asked for. */
  primary_output?: OutputFile;
  stdout: string;
  stderr: string;
  /** -1 when it was ended, or never ran. */
  exit_code: number;
  timed_out: boolean;
  duration_ms: number;
  artifact_files?: { name: string; version: number }[];
  warnings?: string[];
}

/** Where something that a program needs is taken from. */
export interface RunInput {
  /** `artifact://name[@version]`, `host:///path`, `workspace://path` or `skill://name/path` */
  from: string;
  /** Below the workspace; default `work/inputs/<last name>`. */
  to?: string;
  mode?: "copy" | "link";
  /** Of an artifact without a version: the version that the same place had first. */
  pin?: boolean;
}

/** What of a workspace is looked at afterwards. */
export interface RunOutputs {
  globs: string[];
  inline?: boolean;
  save?: boolean;
  /** Put before the names of artifacts. */
  name_template?: string;
  max_files?: number;
  max_file_bytes?: number;
  max_total_bytes?: number;
}

/** What `skill_run` is asked for. */
export interface RunRequest {
  skill: string;
  command: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  inputs?: RunInput[];
  outputs?: RunOutputs;
  output_files?: string[];
  /** Seconds. */
  timeout?: number;
  save_as_artifacts?: boolean;
  omit_inline_content?: boolean;
  artifact_prefix?: string;
  /** Answers while it runs, with what `skill_session` needs to speak with it. */
  interactive?: boolean;
}

/** What `skill_session` is asked for: to write, to end, or, with neither, to wait and to tell. */
export interface SessionRequest {
  session_id: string;
  /** A line, or several; the last one's end is added where it has none, unless its input ends with it. */
  write?: string;
  /** Its input ends, after what is written. */
  close?: boolean;
  /** Ends it at once, with all it started. */
  kill?: boolean;
  /** Where to read from: a byte of its output. Default: what was not told yet. */
  offset?: number;
  /** Milliseconds to wait at most, up to a minute. Default: a second. */
  yield_ms?: number;
}

/** What a program seems to wait for, by the end of its output. */
export interface Interaction {
  needs_input: true;
  kind: "prompt" | "selection";
  /** The line that says so. */
  hint: string;
}

/** What `skill_session`, and an interactive `skill_run`, answer as JSON. */
export interface SessionAnswer {
  status: "running" | "exited";
  session_id: string;
  /** Both its outputs, as they came. */
  output: string;
  /** Where `output` begins and ends, in UTF-8 bytes of all that it said. */
  offset: number;
  next_offset: number;
  exit_code?: number;
  interaction?: Interaction;
  /** When it has ended. */
  result?: RunResult;
  warnings?: string[];
}

/** Files that a model names otherwise than by a path. */
export interface RefsService {
  /** The path of `workspace://name` or `artifact://name[@version]`. Throws RUN_REF, RUN_PATH and ARTIFACT errors. */
  resolve(ref: string): string;
  /** The path of a workspace's file with this name, if there is one. Throws RUN_PATH. */
  find(name: string): string | undefined;
  /** The folder in which programs of skills work in this session, if there is one yet. */
  folder(): string | undefined;
}

/** A program of a skill that a person runs, outside of a conversation. */
export interface DirectRequest {
  request: Pick<RunRequest, "skill" | "command" | "cwd" | "inputs" | "timeout">;
  /** Its input is given by `feed_run`; by default it has none. */
  stdin?: boolean | undefined;
  /** Files and folders of the host's machine that inputs may be, beside those that `skill_run` may take. */
  host?: string[] | undefined;
  /** A folder of the host's machine, new or empty, that the files of out/ are copied into. */
  out?: string | undefined;
  /** Leaves the workspace, which otherwise is gone with the program. */
  keep?: boolean | undefined;
}

/** A piece of what a program said. */
export interface DirectOutput {
  from: "stdout" | "stderr";
  base64: string;
}

/** How a program ended that a person ran. */
export interface DirectEnd {
  /** As `skill_run` answers it, with the files of out/. */
  result: RunResult;
  /** Absent when it was ended, or never ran. */
  exitCode?: number;
  ended?: NonNullable<SandboxEnd["ended"]>;
  /** Why it never ran. */
  failed?: string;
  /** All that is in out/; `to` is where it was copied. */
  files: { name: string; size: number; to?: string }[];
  /** Of out/, what was left out, as sentences. */
  leftOut: string[];
  workspace?: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Starts a program of a skill in a workspace of its own. It is ended when its client goes. Throws RUN and SANDBOX errors. */
    run_skill: { params: { sessionId: string } & DirectRequest; result: { run: string } };
    /** What it said since the last time, as soon as there is any; when all is told, how it ended. Throws RUN_UNKNOWN. */
    follow_run: {
      params: { sessionId: string; run: string };
      result: { output: DirectOutput[]; ended?: DirectEnd };
    };
    /** Gives it input; `end` closes it. `open`: it still reads. Throws RUN_UNKNOWN. */
    feed_run: {
      params: { sessionId: string; run: string; base64: string; end?: boolean | undefined };
      result: { open: boolean };
    };
    /** Ends it with all that it started; `follow_run` tells how. */
    end_run: { params: { sessionId: string; run: string }; result: Record<string, never> };
  }
}
declare module "@scorel/kernel" {
  interface Services {
    refs: RefsService;
  }
  interface Projections {
    /** Programs of skills that the model knows as running, by their session ids. */
    interactiveRuns: Readonly<Record<string, { skill: string; command: string }>>;
  }
}
