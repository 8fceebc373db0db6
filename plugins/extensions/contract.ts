/** A layer that a plugin has on a native hook. */
export interface TapRow {
  hook: string;
  level: "early" | "normal" | "late";
  /** A guard: the action is denied when it fails. */
  critical: boolean;
  /** Milliseconds it may take; false for no limit. */
  limit: number | false;
  /** Counts all taps in the order in which they were made, which decides between layers of one level. */
  order: number;
}

/** A plugin as one run of the command finds it. */
export interface PluginRow {
  id: string;
  /** `shipped`, or whose folder the file is in; `preset`: that of a preset in use. */
  of: "shipped" | "user" | "project" | "preset";
  /** The file, or the preset and line that asks for a shipped one. */
  origin: string;
  scope: "host" | "session";
  /** `off`: by `without`. `untrusted`: in a folder that is not read. `unused`: left out for another reason, which is said. */
  state: "loaded" | "off" | "broken" | "untrusted" | "unused";
  /** Why it is not loaded, with the place in its file where that is known. */
  reason?: string;
  /** Milliseconds to read and run its file and to activate it; of a shipped session plugin, to activate it. */
  loadMs?: number;
  /** Milliseconds of that to read and run its files, and to start it. */
  readMs?: number;
  startMs?: number;
  /** Its place in the order in which plugins start, those of the host first; absent when it did not start. */
  order?: number;
  provides: readonly string[];
  needs: readonly string[];
  /** The native hooks that it taps. */
  hooks: readonly string[];
  /** Its layers on them. */
  taps: readonly TapRow[];
  /** The event types that it brings. */
  events: readonly string[];
  /** What it contributes to other plugins, as `tools`. */
  contributes: readonly string[];
}

/** A folder of extensions, and whether it is read. */
export interface ExtensionFolder {
  of: "user" | "project";
  path: string;
  trusted: boolean;
}

/** The file of an extension, not loaded yet. */
export interface ExtensionFile {
  id: string;
  /** As people see it. */
  path: string;
  /** The file to load: of a trusted project, in the private copy. */
  file: string;
  /** Whose folder it is in; `preset`: that of a preset in use. */
  of: "user" | "project" | "preset";
  /** The only folder that it may import files from: what was trusted, or the preset's. Absent for one of the user. */
  within?: string;
}

/** An extension, or a folder of them, that was left out, and why. */
export interface ExtensionProblem {
  origin: string;
  code: string;
  message: string;
}

/** The extensions that lie on disk. */
export interface FoundExtensions {
  /** To be loaded; of one id the project's wins over the user's, and that over those of presets, the last first. */
  extensions: ExtensionFile[];
  /** Those of the same ids that are not loaded for it. */
  shadowed: ExtensionFile[];
  /** Ids whose files are not read, and why. */
  idle: { id: string; why: string }[];
  problems: ExtensionProblem[];
}

/** Names that mean something in the file of an extension. */
export interface KnownWords {
  /** Of a plugin: its manifest, its functions and what it may contribute. */
  fields: readonly string[];
  /** Of the fields, those that have to be functions. */
  functions: readonly string[];
  /** Of the fields, what it may contribute to other plugins. */
  contributions: readonly string[];
  toolFields: readonly string[];
  /** Of a hook's layer that is an object. */
  tapFields: readonly string[];
  hooks: readonly string[];
  services: readonly string[];
}

/** What the loader knows of plugins and extensions; given to the host kernel by the loader. */
export interface ExtensionsService {
  /** The folder for new extensions: the project's around the working directory, or the user's own. It may not exist yet. */
  folder(of: "user" | "project"): Promise<ExtensionFolder>;
  /** The folder that a file lies in; undefined outside of all folders that are looked through. */
  folderOf(path: string): Promise<ExtensionFolder | undefined>;
  /** Why an id cannot be used in a folder of this kind; undefined when it can. Throws CONFIG errors. */
  taken(id: string, of: "user" | "project"): Promise<string | undefined>;
  /**
   * The files and folders that say what a session in a directory is made of; some may not exist, and those of a project that is
   * not trusted are left out.
   */
  sources(cwd: string): Promise<string[]>;
  /** Every plugin of this run, those of sessions as a session that is opened for this finds them. Throws CONFIG errors. */
  list(): Promise<PluginRow[]>;
  /** Reads a file as the loader would compile it, without running it: what is wrong, and `file:line` where known. */
  parse(path: string): Promise<{ where: string; reason: string } | undefined>;
  readonly words: KnownWords;
  /** The tsconfig.json that comes with the command and names the declarations of all that an extension may import. */
  readonly tsconfig: string;
}

declare module "@scorel/kernel" {
  interface Services {
    extensions: ExtensionsService;
  }
}
