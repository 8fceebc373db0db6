/** A layer that a plugin has on a hook. */
export interface TapRow {
  hook: string;
  level: "early" | "normal" | "late";
  /** Whether the action is denied if the layer fails. */
  critical: boolean;
  /** Time limit in milliseconds; false for no limit. */
  limit: number | false;
  /** The position among all layers by the time they were added; layers of the same level run in this order. */
  order: number;
}

/** A plugin as `scorel plugin list` shows it. */
export interface PluginRow {
  id: string;
  /** `shipped`, or the owner of the folder that its file is in; `preset`: a preset in use. */
  of: "shipped" | "user" | "project" | "preset";
  /** The plugin's file; for a shipped plugin, the preset and line that names it. */
  origin: string;
  scope: "host" | "session";
  /** `off`: listed in `without`. `untrusted`: in a folder that is not trusted. `unused`: left out for the given `reason`. */
  state: "loaded" | "off" | "broken" | "untrusted" | "unused";
  /** The source from which it was installed, if it was. */
  installed?: InstalledFrom;
  /** Why the plugin is not loaded, or what is wrong with it, with the place in its file if known. */
  reason?: string;
  /** Milliseconds to read and run its file and to activate it; for a shipped session plugin, only to activate it. */
  loadMs?: number;
  /** Milliseconds to read and run its files. */
  readMs?: number;
  /** Milliseconds that `activate` took. */
  startMs?: number;
  /** Its position in the start order of all plugins, host plugins first; absent if it did not start. */
  order?: number;
  provides: readonly string[];
  needs: readonly string[];
  /** The hooks on which the plugin has layers. */
  hooks: readonly string[];
  /** Its layers on these hooks. */
  taps: readonly TapRow[];
  /** The event types that the plugin defines. */
  events: readonly string[];
  /** The names of its contributions to other plugins, such as `tools`. */
  contributes: readonly string[];
}

/** A folder of extensions, and whether extensions are loaded from it. */
export interface ExtensionFolder {
  of: "user" | "project";
  path: string;
  trusted: boolean;
}

/** The source of an extension that was installed with `scorel plugin add`. */
export interface InstalledFrom {
  /** A path, `npm:name@range` or the address of a repository. */
  from: string;
  version?: string;
}

/** The file of an extension, not loaded yet. */
export interface ExtensionFile {
  id: string;
  /** The path to show. */
  path: string;
  /** The file to load; for a trusted project, in its private copy. */
  file: string;
  /** The owner of the folder that it is in, or the user who installed it; `preset`: a preset in use. */
  of: "user" | "project" | "preset";
  /**
   * The only folder from which it may import files: the trusted files, the preset, or the installed package. Absent for extensions that the
   * user wrote.
   */
  within?: string;
  /** The source from which it was installed, if it was. */
  installed?: InstalledFrom;
}

/** An extension, or a folder of them, that was left out, and why. */
export interface ExtensionProblem {
  /** The id of the extension; absent for a problem with a folder. */
  plugin?: string;
  origin: string;
  code: string;
  message: string;
}

/** The extensions that were found on disk. */
export interface FoundExtensions {
  /** The extensions to load. If several have the same id, the project's is loaded, else the user's, else the last preset's. */
  extensions: ExtensionFile[];
  /** Extensions that are not loaded because another one with the same id is loaded. */
  shadowed: ExtensionFile[];
  /** The ids of extensions whose files are not read, and why. */
  idle: { id: string; why: string }[];
  problems: ExtensionProblem[];
}

/** Names that have a meaning in the source of an extension. */
export interface KnownWords {
  /** The fields of a plugin: its manifest, its functions and its contributions. */
  fields: readonly string[];
  /** Those fields that must be functions. */
  functions: readonly string[];
  /** Those fields that are contributions to other plugins. */
  contributions: readonly string[];
  toolFields: readonly string[];
  /** The fields of a hook's layer that is written as an object. */
  tapFields: readonly string[];
  hooks: readonly string[];
  services: readonly string[];
}

/** Finds and lists plugins and extensions. The loader provides this service to the host kernel. */
export interface ExtensionsService {
  /** The folder for new extensions, of the project around the working directory or of the user. It need not exist. */
  folder(of: "user" | "project"): Promise<ExtensionFolder>;
  /** The extension folder that a file is in; undefined if it is in none. */
  folderOf(path: string): Promise<ExtensionFolder | undefined>;
  /** Why an id cannot be used in a folder of this kind; undefined when it can. Throws CONFIG errors. */
  taken(id: string, of: "user" | "project"): Promise<string | undefined>;
  /**
   * The files and folders that determine the plugins and settings of a session in a directory. Some may not exist; those of a
   * project that is not trusted are left out.
   */
  sources(cwd: string): Promise<string[]>;
  /** Lists every plugin of this run. Opens a temporary session to find the session plugins. Throws CONFIG errors. */
  list(): Promise<PluginRow[]>;
  /** Compiles a file without running it, and returns its syntax error with `file:line`; undefined if there is none. */
  parse(path: string): Promise<{ where: string; reason: string } | undefined>;
  readonly words: KnownWords;
  /** The path of the shipped tsconfig.json, which includes the declarations of all modules that an extension may import. */
  readonly tsconfig: string;
  /** The path of the program that runs test files of extensions. */
  readonly testRunner: string;
}

declare module "@scorel/kernel" {
  interface Services {
    extensions: ExtensionsService;
  }
}
