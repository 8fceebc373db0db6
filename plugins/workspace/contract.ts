import type { Kernel, KernelEntry } from "@scorel/kernel";

/**
 * Options for opening a session; they apply while it is open. Plugins add their own fields by declaration merging, and
 * contribute `sessionOptions` with the same keys.
 */
export interface SessionOptions {
  /** Directories outside the workspace root that Write and Edit may change. */
  allowWrite?: readonly string[] | undefined;
  /**
   * The environment variables of commands, such as `PATH=/usr/bin`, without those that hold keys. Default: the
   * variables of the host's process. Clients of a host in another process send their own: those of the client that opens the session
   * apply, until nobody but the host has it open.
   */
  environment?: readonly string[] | undefined;
}

/**
 * A session option of a plugin: its name, its kind of value, and how people set it. Plain data. In the session, the
 * option's value is `ctx.workspace[key]`.
 */
export interface SessionOption {
  /** The option's name in operations and in the service `workspace`, such as `allowWrite`. */
  key: string;
  /** The kind of value: one of these words, a text, a list of texts, or a boolean. */
  kind: readonly string[] | "text" | "texts" | "switch";
  /**
   * The option on the command line, named like the key: `--allow-write <dir>`; a switch takes no value. Absent for an option
   * that every command takes, or that only clients set.
   */
  flag?: SessionFlag;
  /** A flag without a value that sets the option to one value. */
  short?: { flag: SessionFlag; value: string };
  /**
   * The configuration key that the option overrides, such as `permissions.mode`. If a preset locks the key, a value
   * that allows more is refused (HOST_OPTION_LOCKED). That is a value that comes earlier in the schema's enum if the
   * key has `layers: "narrow"`, and otherwise any value but the configured one.
   */
  setting?: string;
  /**
   * The values with which a session may do more than its configuration says; `true` for every value but `false` and an
   * empty list. A client with a scope can set them only if its `options` include the key. Default: none.
   */
  widens?: true | readonly string[];
}
export interface SessionFlag {
  /** As shown in help: `--thinking <level>`. */
  flags: string;
  description: string;
  /** Values that the command line allows; default: the words of `kind`. */
  values?: readonly string[];
}

/** The service `workspace`: where and how a session works. All paths are canonical (symbolic links resolved). */
export interface Workspace extends SessionOptions {
  cwd: string;
  /** The git root above `cwd`, else `cwd`. */
  root: string;
  home: string;
  /** Path of the session's log; absent for a session in memory. */
  file?: string;
  /**
   * The project's `.scorel` folder; absent unless the user trusts it. While absent, nothing in the project may be read.
   */
  trusted?: string;
  /** Where trusted files are read from. Never the project itself. */
  trustedCopy?: TrustedCopy;
  /** Trusted skills in folders between the one with `.scorel` and `cwd`. */
  nestedSkills?: NestedSkills;
  /** Presets in use that are folders, weakest first. Their contents count like the user's own files. */
  packages?: readonly PresetPackage[];
  /** Private folder for the session's temporary files, created on first access. */
  temp: string;
  /** Directories outside `root` that Write and Edit may change. */
  allowWrite: readonly string[];
  /**
   * The settings that presets and configuration lock. What a plugin lets people change in a session must not allow more
   * than they do.
   */
  locks?: readonly LockedSetting[];
  /** Present in a session that was created with a `parent`, such as one of a subagent. */
  parent?: ParentSession;
}

/**
 * A setting that must not allow more than its locked value, as `locked` in a preset or in the user's config.toml says.
 */
export interface LockedSetting {
  /** The path of a key or a table: `permissions.mode`, `permissions`. */
  setting: string;
  /** Name of the preset that locks it; absent if config.toml does. */
  preset?: string;
  /** `file:line` of the lock. */
  place: string;
}

/** The parent of a session, as the session sees it. */
export interface ParentSession {
  /** Absent in a copy of a child, which has no parent but keeps its limits. */
  sessionId?: string;
  /** The tool call of the parent that the session was created for. */
  toolCallId?: string;
  /**
   * What a plugin of the parent contributes as `childLimits`: `atStart` is its value when the session was created,
   * `now` its current value while the parent is open. A plugin must respect both. Throws HOST_CHILD_LIMITS if the
   * current value is not known.
   */
  limits(plugin: string): { atStart: unknown; now?: unknown };
}

/** A private copy of a project's trusted files. Only this copy may be read. */
export interface TrustedCopy {
  /** Copy of the project's `.scorel` folder. */
  scorel: string;
  /** Copy of the project root, with `.agents/skills`, `.claude/skills`, `.claude/commands`, `.claude/agents` and `.mcp.json` where they exist. */
  root: string;
}

/** Trusted skill folders nearer to the working directory than `.scorel`, for example of a package in a monorepo. */
export interface NestedSkills {
  /** Display paths, the nearest to the working directory first. */
  folders: readonly string[];
  /** The folder to read them from, in place of the project's root. */
  root: string;
}

/** A preset that is a folder with a `preset.toml`, and perhaps `extensions/`, `instructions/*.md` and `skills/`. */
export interface PresetPackage {
  name: string;
  /** Display path. */
  folder: string;
  /** The folder to read its files from: its own, or a private copy of the trusted files. */
  root: string;
}

/** Which plugins a session gets. */
export interface PluginChoice {
  /** Loads only the shipped plugin with this id, and no extension. */
  only?: string | undefined;
  /** Returns the reason why a project is not trusted in `untrusted` instead of reporting it. */
  again?: boolean | undefined;
  /** Name of a preset, as for `--preset`. Default: the preset that the command was started with. */
  preset?: string | undefined;
  /** The session is only read: if `preset` cannot be used, the default is used instead, with a notice. */
  readOnly?: boolean | undefined;
  /** Reads a project only if this is its `.scorel` folder, even if the user trusts another one; `null` reads none. */
  project?: string | null | undefined;
  /** With `project`: skills nested in the project are read only if these are their folders. */
  nested?: readonly string[] | undefined;
}

/** The service `composition`: resolved presets and configuration, from which session kernels are made. */
export interface Composition {
  /** Creates the plugins of a session in `cwd`. Throws CONFIG errors. */
  sessionPlugins(
    cwd: string,
    options?: PluginChoice,
  ): Promise<{
    entries: KernelEntry[];
    problems: Notice[];
    /** The project's `.scorel` folder, when the user trusts it. */
    trusted?: string | undefined;
    /** Why the project may not be read and what to do about it. */
    untrusted?: string | undefined;
    /** Where trusted files are read from; set together with `trusted`. */
    trustedCopy?: TrustedCopy | undefined;
    /** Trusted skill folders inside the project. */
    nestedSkills?: NestedSkills | undefined;
    /** Presets in use that are folders, weakest first. */
    packages?: readonly PresetPackage[] | undefined;
    /** What presets and configuration lock. */
    locks?: readonly LockedSetting[] | undefined;
  }>;
  /** The host kernel, parent of all session kernels. Only available once it has started. */
  kernel(): Kernel;
}
/** Something that was left out or failed without harm to the rest: its origin, an error code and a message. */
export interface Notice {
  /** The id of the plugin or extension that it is about, if it is about one. */
  plugin?: string | undefined;
  origin: string;
  code: string;
  message: string;
}

/** A registered working directory. Its id stays the same when the directory moves. */
export interface Project {
  projectId: string;
  name: string;
  /** Real path: the git root, or else the directory itself. */
  directory: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}
/** A session's directory and project, as its header records them. */
export interface SessionPlace {
  cwd: string;
  createdAt: number;
  root?: string | undefined;
  projectId?: string | undefined;
}
/** All projects at the time the book was opened. */
export interface ProjectBook {
  /** Projects that were not removed, in order of registration. */
  readonly projects: readonly Project[];
  /**
   * Finds a project by id or its beginning, by name, or by a directory in it (relative to `cwd`). Throws
   * PROJECT_UNKNOWN and PROJECT_AMBIGUOUS.
   */
  find(named: string, cwd: string): Project;
  /** Returns a session's project, even for sessions older than projects; undefined if none is registered. */
  of(place: SessionPlace): Project | undefined;
  /** Returns a session's current directory, which moves with its project. */
  cwdOf(place: SessionPlace): string;
}
/** The service `projects`: registered directories, and where they are now. */
export interface ProjectsService {
  /**
   * Returns a directory's project, registering it or putting it back on the list if necessary. Throws PROJECT_FILE and
   * HOST_ errors.
   */
  register(directory: string, name?: string): Promise<Project>;
  /** Opens the list of projects; throws PROJECT_FILE when it is damaged. */
  book(): Promise<ProjectBook>;
}

declare module "@scorel/kernel" {
  interface Services {
    workspace: Workspace;
    composition: Composition;
    projects: ProjectsService;
  }
  interface Contributions {
    /**
     * The most that a session allows its child sessions, as plain JSON. The plugin of the same id in the child gets it
     * from `workspace.parent.limits`. A child without that plugin is not opened, unless the limits say `optional:
     * true`, which means that nothing can be done in the child without the plugin. Called when a child is created, and
     * each time that a child asks.
     */
    childLimits: unknown;
    /**
     * Options for opening a session, on the command line and in the operations that open sessions. The host asks its
     * own plugins, including extensions with `scope: "host"`; it knows the options of Scorel's session plugins without
     * loading them. An option whose name is taken is left out and reported as an error of its plugin.
     */
    sessionOptions: readonly SessionOption[];
  }
}
