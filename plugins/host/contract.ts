import type { QueueItem, SendOptions, TurnOutcome } from "@scorel/agent/contract";
import type {
  AnyEvent,
  Awaitable,
  DisplayAction,
  EventDefinition,
  EventId,
  Kernel,
  KernelEntry,
  Message,
  Missed,
  SessionHeader,
} from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type { z } from "zod";

/** What a session is opened with beside its log; it holds for as long as the session is open. */
export interface SessionOptions {
  /** `provider/id` */
  model?: string | undefined;
  /** Directories outside its root that Write and Edit may touch. */
  allowWrite?: readonly string[] | undefined;
  /** How hard the model thinks: a level of its provider, or `off`. Kept in the session from its next turn on. */
  thinking?: string | undefined;
  /** The names of the only tools that the model is offered. */
  tools?: readonly string[] | undefined;
  /** Text for the end of the system prompt. */
  appendSystemPrompt?: string | undefined;
  /** What the model may do without a question, instead of what the configuration says. */
  permission?: "ask" | "edits" | "full" | "plan" | undefined;
  /** What programs of skills run in, instead of what the configuration says. */
  sandbox?: "auto" | "bubblewrap" | "docker" | "podman" | "local" | undefined;
  /**
   * The client that opens it, and from then on any other session, will answer questions (`attend_requests`): what is asked until
   * then waits for it.
   */
  attending?: boolean | undefined;
}

/** Where and how a session works. Given to every session kernel as the service `workspace`. Paths are canonical. */
export interface Workspace extends SessionOptions {
  /** Working directory of the session. */
  cwd: string;
  /** The git root above `cwd`, else `cwd`. */
  root: string;
  /** The user's home directory. */
  home: string;
  /** The session's log; absent when it is kept in memory only. */
  file?: string;
  /** The project's `.scorel` folder, when the user trusts it; absent, nothing in it may be read. */
  trusted?: string;
  /** Where the bytes that the user trusts are read, never in the project itself. */
  trustedCopy?: TrustedCopy;
  /** Skills of folders between the one that holds `.scorel` and `cwd`, when the user trusts them. */
  nestedSkills?: NestedSkills;
  /** The presets in use that are folders, weakest first: what they bring counts as the user's own words. */
  packages?: readonly PresetPackage[];
  /** A private folder for spill files of this session; created on first use. */
  temp: string;
  /** Directories outside `root` that Write and Edit may touch. */
  allowWrite: readonly string[];
}

/** A private copy of what the user trusts of a project: all that may be read of it. */
export interface TrustedCopy {
  /** Stands for the project's `.scorel` folder. */
  scorel: string;
  /** Stands for the project's root; holds `.agents/skills`, `.claude/skills` and `.claude/commands` where they exist. */
  root: string;
}

/** Trusted folders of skills that lie nearer to the working directory than `.scorel`, such as those of a package in a monorepo. */
export interface NestedSkills {
  /** As people see them, the nearest to the working directory first. */
  folders: readonly string[];
  /** The folder that stands for the project's root when they are read. */
  root: string;
}

/** A preset that is a folder: beside its `preset.toml` it may hold `extensions/`, `instructions/*.md` and `skills/`. */
export interface PresetPackage {
  name: string;
  /** As people see it. */
  folder: string;
  /** Where its bytes are read: the folder itself, or a private copy of what is trusted. */
  root: string;
}

/** The layers of presets and configuration, resolved. Made by the loader, given to the host kernel. */
export interface Composition {
  /**
   * Fresh instances of everything of session scope for a session working in `cwd`; with `only`, at most the shipped plugin of
   * that id, and no extension is run. With `again`, that a project is not trusted is answered and not told. Throws CONFIG
   * errors.
   */
  sessionPlugins(
    cwd: string,
    only?: string,
    again?: boolean,
  ): Promise<{
    entries: KernelEntry[];
    problems: Notice[];
    /** The project's `.scorel` folder, when the user trusts it. */
    trusted?: string | undefined;
    /** Why there is a project that may not be read, and what to do about it. */
    untrusted?: string | undefined;
    /** Where trusted bytes are read; there when `trusted` is. */
    trustedCopy?: TrustedCopy | undefined;
    /** Skills nested in the project that the user trusts. */
    nestedSkills?: NestedSkills | undefined;
    /** The presets in use that are folders, weakest first. */
    packages?: readonly PresetPackage[] | undefined;
  }>;
  /** The running host kernel, parent of every session's kernel. First asked for after it has started. */
  kernel(): Kernel;
}
/** Something left out or failing that harms nobody else: what, why, and who asked for it. */
export interface Notice {
  origin: string;
  code: string;
  message: string;
}

export interface SessionSummary {
  sessionId: string;
  name?: string;
  /** Where it works now. */
  cwd: string;
  /** The project that it was made in. */
  projectId?: string;
  createdAt: number;
  updatedAt: number;
  /** Count of user and assistant messages; absent for a large log whose count would take reading all of it. */
  messages?: number;
  /** The first user message, shortened. */
  title: string;
  path: string;
  problem?: string;
}
/** What a client sees of one event: the event and how to draw it. */
export interface Delivered {
  event: AnyEvent | Missed;
  display: DisplayAction;
}
export interface Anchor {
  epoch: string;
  persistentSeq: number;
  persistentId: EventId | null;
  activation: string;
  streamSeq: number;
}
export interface SessionStatus {
  sessionId: string;
  running: boolean;
  leafId: EventId | null;
  meta: SessionMeta;
  anchor: Anchor;
  /** Damage found when the log was opened. */
  problems: { line: number; offset: number; reason: string }[];
  /** What was left out when the session was opened, and what has failed in it since. */
  notices: Notice[];
  /** How many messages wait in the queue; absent when none does. They come with the next turn, or by `run_queue`. */
  waiting?: number;
  /** `provider/id` of the model that the next turn would use; absent when there is none. */
  model?: string;
  /** Why there is no model to use. */
  modelError?: { code: string; message: string };
}

/**
 * The operations of the client contract: name -> what is asked and answered. An open table: a plugin adds rows by
 * declaration merging into this module, and their handlers as its contribution `operations`.
 */
export interface Operations {
  ping: { params: Record<string, never>; result: { pong: true } };
  create_session: {
    params: { cwd: string; name?: string; unsaved?: boolean } & SessionOptions;
    result: SessionStatus;
  };
  /**
   * A new session that begins with a copy of another one's conversation, from its root to `eventId` (or the beginning of
   * one; default: the active leaf). The other stays as it is, and may be in use. An unsaved session keeps its log in memory
   * only; a stored one's file appears with its first event, or at once. A retry with the same `messageId` answers the same
   * session.
   */
  clone_session: {
    params: {
      sessionId: string;
      eventId?: EventId;
      unsaved?: boolean;
      atOnce?: boolean;
      messageId?: string;
    } & SessionOptions;
    result: SessionStatus;
  };
  /** `sessionId` may be the beginning of one, if only one session begins so. */
  load_session: { params: { sessionId: string } & SessionOptions; result: SessionStatus };
  /** Loads the session of a working directory whose last event is the latest; SESSION_NONE when there is none. */
  continue_session: { params: { cwd: string } & SessionOptions; result: SessionStatus };
  /**
   * Latest activity first, at most `limit` (up to 1000) of them; those of a directory, or of a project (its id, name or
   * directory), when given.
   */
  list_sessions: {
    params: { cwd?: string; project?: string; limit?: number };
    result: { sessions: SessionSummary[] };
  };
  send_message: {
    params: { sessionId: string; content: UserMessage["content"] } & Pick<SendOptions, "messageId" | "running">;
    result: { status: "started" | "queued" | "duplicate"; id: string };
  };
  /** Resolves when the turn that serves a sent message has ended. */
  wait_turn: { params: { sessionId: string; id: string }; result: TurnOutcome };
  cancel: { params: { sessionId: string }; result: { cancelled: boolean } };
  /** What waits, in its order, and which state of the queue that is. Looks only: anyone may be writing the session. */
  get_queue: { params: { sessionId: string }; result: { seq: number; items: QueuedMessage[] } };
  /**
   * Puts the waiting messages in this order, with these changes; those left out are removed. Refused whole, with
   * AGENT_QUEUE_CONFLICT when the queue no longer stands at `expectedSeq` (of `get_queue`, or of the last event that changed
   * it), and with AGENT_QUEUE_UNKNOWN, which says what became of it, when one was delivered or removed meanwhile. A retry with
   * the same `messageId` changes nothing more.
   */
  rewrite_queue: {
    params: {
      sessionId: string;
      items: { id: string; mode?: QueueItem["mode"]; content?: UserMessage["content"] }[];
      expectedSeq?: number;
      messageId?: string;
    };
    result: { items: { id: string }[] };
  };
  /**
   * Starts a turn with what waits, if anything does; `id` is what `wait_turn` takes. A running turn takes it anyway, each at
   * its moment.
   */
  run_queue: { params: { sessionId: string }; result: { status: "started" | "running" | "empty"; id?: string } };
  /** The conversation as the log has it, from the last summary on; what plugins change for a request alone is not in it. */
  get_context: { params: { sessionId: string }; result: { messages: Message[] } };
  /** The stored events of a session in seq order: all of them, or the last `tail`. */
  get_events: { params: { sessionId: string; tail?: number }; result: { header: SessionHeader; events: Delivered[] } };
  get_status: { params: { sessionId: string }; result: SessionStatus };
  /**
   * Opens a session anew over the same log, with plugins and configuration as they are now, and with what it was opened with and
   * what was chosen in it. Who listens goes on listening, and hears `session_start`; who answers questions says so again. Throws
   * HOST_SESSION_BUSY while a turn runs. All is taken or nothing: with CONFIG errors, and with HOST_RELOAD when something that
   * runs could not be run any more, the session goes on as it was.
   */
  reload_session: { params: { sessionId: string }; result: SessionStatus };
  close_session: { params: { sessionId: string }; result: { closed: boolean; notices: Notice[] } };
  /**
   * Looks at the files of the `limit` sessions that were written last (default 5), and changes none. Logs are read whole up to
   * some 64 MB together; of those beyond only what lies beside them is looked at.
   */
  check_sessions: { params: { limit?: number }; result: { total: number; sessions: SessionHealth[] } };
}
/** What the files of one session are like. */
export interface SessionHealth {
  sessionId: string;
  path: string;
  /** Of the log. */
  bytes: number;
  /** When it was last written, in milliseconds since the epoch. */
  writtenAt: number;
  /** Absent when the log was not read. */
  events?: number;
  /** A sentence each, with line and offset; what is worth knowing and no damage is in `notes`. */
  damage: readonly string[];
  notes: readonly string[];
  /** Events whose parent is lost; in memory they are attached to an earlier one. */
  bridged: number;
  /** Why the log could not be read at all. */
  problem?: { code: string; message: string };
  /** Ends of the log that were cut short and set aside. */
  torn: readonly { path: string; bytes: number }[];
  /** Words of a reply that a process left when it ended; the next opening makes a message of them. */
  leftover?: string;
  /** The file that spares reading a long log: it is written anew when it is damaged. */
  index: "none" | "whole" | "damaged";
  /** Who writes it, or did when they ended. */
  lock?: { path: string; state: "held" | "suspended" | "stale"; pid: number; since: string };
}
/** A message that waits for its place in a turn. */
export interface QueuedMessage {
  id: string;
  /** `steer`: between two rounds of the running turn; `follow_up`: when it would rest. */
  mode: QueueItem["mode"];
  content: UserMessage["content"];
  /** Who sent it. */
  clientId: string;
}
export type Operation = keyof Operations & string;

/** An open session as the operations of plugins see it. */
export interface SessionHandle {
  readonly id: string;
  readonly kernel: Kernel;
  readonly workspace: Workspace;
}
/** Who asks for an operation, and what its handler may reach. */
export interface OperationContext {
  readonly clientId: string;
  /** Where sessions live. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in it. */
  readonly logs: Logs;
  /** The whole id that begins so; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** A session, opened for writing unless it is open already, for as long as the client stays. */
  open(sessionId: string): Promise<SessionHandle>;
  /**
   * Has a session's files alone while `work` runs: it is closed here first, whoever has it open. Throws
   * HOST_SESSION_BUSY while a turn runs in it, and HOST_SESSION_LOCKED while another process has it.
   */
  alone<R>(sessionId: string, work: () => Awaitable<R>): Promise<R>;
  /** Looks at a session that anyone may be writing: as it is open here, else with no lock, no repair and no append. */
  look<R>(sessionId: string, work: (session: SessionHandle) => Awaitable<R>): Promise<R>;
  /** The header of a new session that works in `cwd`, for a log that a plugin writes itself. Throws HOST_CWD_INVALID. */
  newHeader(cwd: string): SessionHeader;
  /**
   * The event types that plugins of a session in `cwd` declare `importable`, by name. Throws CONFIG errors and
   * HOST_CWD_INVALID.
   */
  importable(cwd: string): Promise<ReadonlyMap<string, EventDefinition>>;
  /** Aborts when the client gives a session up that it has open, or closes: what it promised there holds no longer. */
  left(sessionId: string): AbortSignal;
  /** Another operation in the name of the same client. */
  request: Client["request"];
}
/** How a plugin does one operation. Params from any client are checked by `params` first. */
export interface OperationHandler<O extends Operation> {
  params: z.ZodType<Operations[O]["params"]>;
  run(params: Operations[O]["params"], context: OperationContext): Awaitable<Operations[O]["result"]>;
}

/** A connection to the host: the same for the terminal in this process and for one across a network. */
export interface Client {
  readonly clientId: string;
  request<O extends Operation>(operation: O, params: Operations[O]["params"]): Promise<Operations[O]["result"]>;
  /**
   * Hears the events of a session in seq order, each once; returns the undo. A listener that lags `capacity` events behind
   * misses passing ones and is told so; default 10,000. With `joined`, deltas that arrive together may come as one.
   */
  subscribe(
    sessionId: string,
    listener: (delivered: Delivered) => void | Promise<void>,
    options?: { capacity?: number; joined?: boolean },
  ): Promise<() => Promise<void>>;
  /** Resolves when everything announced so far has reached this client's listeners of the session. */
  drained(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The host as its transports and faces see it. */
export interface HostService {
  connect(options?: { clientId?: string }): Client;
  /** Where sessions live. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in it. */
  readonly logs: Logs;
  /**
   * Puts what `change` makes of a file's text (undefined without the file) in its place, while no other process of this home
   * can; on disk for good, readable only by this user; of a link, the file behind it. Throws what `change` throws, HOST_FILE_BUSY and HOST_HOME.
   */
  changeFile(path: string, change: (text: string | undefined) => string): Promise<void>;
  /** The real path of a directory to work in; throws HOST_CWD_INVALID. */
  directory(path: string): string;
  /** The git root above a directory, else the directory. */
  rootOf(directory: string): string;
}

declare module "@scorel/kernel" {
  interface Services {
    workspace: Workspace;
    composition: Composition;
    host: HostService;
  }
  interface Contributions {
    /** A host plugin's are there for every client; a session plugin's for requests whose params name an open session. */
    operations: { [O in Operation]?: OperationHandler<O> };
  }
}
