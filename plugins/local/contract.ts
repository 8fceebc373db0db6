/** Options of every call that may take long. A call that is aborted rejects with the signal's reason. */
export interface FileOptions {
  signal?: AbortSignal | undefined;
}

/** Information about an existing file, folder or other entry, after links were followed. */
export interface FileInfo {
  kind: "file" | "folder" | "fifo" | "socket" | "device";
  /** The size in bytes; 0 for anything but a file. */
  size: number;
  /**
   * The same for all names of one file, such as hard links, and different for any two files. Absent when the file system has no
   * such identity.
   */
  id?: string;
}
/** The content of a regular file. */
export interface FileContent extends FileInfo {
  bytes: Uint8Array;
}
/** An entry of a folder. */
export interface FileEntry {
  name: string;
  /** The entry itself; a link is not followed. */
  kind: FileInfo["kind"] | "link";
}

/**
 * The service `files`: the files that tools read, write and search.
 *
 * Paths are absolute, with slashes. Bytes of a name that are not UTF-8 are written as `\xHH`. A real path is one that `realpath`
 * returned. Methods that take a real path never follow a link: if one is in its way now, they reject with ESTALE, so that what
 * was checked and what is used are the same file.
 *
 * Tools wait 20 seconds for an answer (60 for `read`, `write` and `search`, guards 10), then abort the signal and report an error that
 * names the plugin. They report an invalid answer, and more than `maxBytes`, in the same way.
 *
 * Errors have Node's codes: ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENOSPC, ELOOP, ENAMETOOLONG; EFBIG for a file over the
 * limit, EINVAL for what is not a regular file, ESTALE as above. Any other code is passed on to the model with its message.
 */
export interface FilesService {
  /**
   * True when paths are those of this computer, so that programs and other plugins see the same files under the same names.
   * Without it, guards ask this service instead of the disk, checkpoints record nothing, and commands are not sandboxed here.
   */
  readonly local?: boolean;
  /**
   * The real path: all links resolved, and for a missing file or folder, what exists of it resolved and the rest appended.
   * Rejects with ENOTDIR, ELOOP, EACCES or ENAMETOOLONG when there can be no such path.
   */
  realpath(path: string, options?: FileOptions): Promise<string>;
  /** Information about a file or folder; undefined if there is none. Follows links. */
  stat(path: string, options?: FileOptions): Promise<FileInfo | undefined>;
  /** Reads a whole regular file at a real path. Never waits for a FIFO's writer. */
  read(path: string, options?: FileOptions & { maxBytes?: number }): Promise<FileContent>;
  /**
   * Replaces a file at a real path in one step; it keeps its mode and owner. With `create`, a missing file and missing folders
   * are created; without it, they are an ENOENT.
   */
  write(path: string, bytes: Uint8Array, options?: FileOptions & { create?: boolean }): Promise<void>;
  /**
   * The content of a file with the unsaved changes of a program that has it open, if `read` returns it so; undefined if everything is saved.
   * Only services whose content may differ from the disk have it, so that checkpoints can keep unsaved content before a tool replaces it.
   */
  unsaved?(path: string, options?: FileOptions): Promise<Uint8Array | undefined>;
  /** The entries of a folder, in any order. */
  list(folder: string, options?: FileOptions): Promise<FileEntry[]>;
  /**
   * Opens a file or a folder at a real path, to search it with ripgrep where the files are. An executor without ripgrep omits this method:
   * then the files are listed and read, and searched in a temporary copy, which is slower.
   */
  search?(path: string, options?: FileOptions & { env?: Readonly<Record<string, string>> }): Promise<FileSearch>;
}

/** An open file or folder. Its search cannot be redirected by a link. */
export interface FileSearch extends AsyncDisposable, FileInfo {
  /** The argument that names it for ripgrep: `./`, or a name of the file. */
  readonly target: string;
  /**
   * Runs ripgrep in the folder, or in the folder of the file, and passes its standard output on as it arrives. Rejects when it
   * could not run. An abort kills it.
   */
  run(args: readonly string[], options: FileOptions & { onOutput(bytes: Uint8Array): void }): Promise<SearchEnd>;
}
/** How ripgrep has ended. */
export interface SearchEnd {
  exitCode: number | null;
  /** The beginning of ripgrep's standard error. */
  stderr: string;
}

/** A command with its directory, environment and output. It has no input. */
export interface ProcessRequest {
  /**
   * A line for a shell (bash, or sh where there is no bash), or a program with its arguments. Only an executor on this
   * computer (`local`) is given programs: those of a sandbox.
   */
  command: string | readonly [file: string, ...args: string[]];
  cwd: string;
  /** The complete environment, without API keys. An executor on another computer chooses which variables to use there. */
  env: Readonly<Record<string, string>>;
  /** Receives stdout and stderr, in order of arrival. */
  onOutput(bytes: Uint8Array): void;
  /** Whether processes that the command leaves behind belong to it, so that `kill` ends them, too. Otherwise they are left alone. */
  background?: boolean;
}

/** How a command has ended: its exit code, or the name of the signal that ended it. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: string | null;
  /** Whether processes that the command has left behind keep its output open. */
  leftOpen: boolean;
}

/** A command that was started. */
export interface RunningProcess {
  /** Settles when the command has ended and its output has arrived. Rejects when its end cannot be known because the connection is lost. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the command and everything it started: SIGTERM, and after a moment SIGKILL. `ended` settles within two seconds after it. */
  kill(): Promise<void>;
  /** Stops reading its output, so that it waits when its pipe is full. */
  pause(): void;
  resume(): void;
}

/** The service `processes`: the commands that tools run. */
export interface ProcessesService {
  /** True when commands run on this computer. */
  readonly local?: boolean;
  /**
   * Starts a command in a process group of its own. Rejects when it could not be started. Bash waits as long as its time limit,
   * at least 5 and at most 60 seconds; a command that starts later is killed.
   */
  start(request: ProcessRequest): Promise<RunningProcess>;
}

declare module "@scorel/kernel" {
  interface Services {
    files: FilesService;
    processes: ProcessesService;
  }
}
