import type { Page, PageParams } from "@scorel/host/contract";
import type { PromptView } from "@scorel/prompt/contract";

/** A preset in `scorel preset list`. */
export interface PresetSummary {
  name: string;
  description: string;
  /** Its files in order; each overrides those before it. */
  files: string[];
  /** Why the preset cannot be read; `description` and `files` are then empty. */
  problem?: { code: string; message: string };
  /** Origin of an installed preset. A `changed` one is refused and not read. */
  installed?: { from: string; version?: string; state: "installed" | "changed" };
}

/** A configuration value and its origin. */
export interface Setting {
  /** Dotted path as in TOML: `model.provider`. */
  path: string;
  value: unknown;
  /** `file:line`, or `default` when no layer sets it. */
  origin: string;
  /** `file:line` of the lock that keeps projects from setting it. */
  locked?: string;
  /** The description of the setting, from the schema of its plugin. */
  about?: string;
}

/** A setting that is accepted but may not do what its author expects. */
export interface LayerNotice {
  /** `TRUST` for a project or preset that is not trusted, or only by its path; else the code of the error, or CONFIG_NO_EFFECT. */
  code: string;
  /** One sentence, with the place. */
  text: string;
  /** The `file:line` that the text names. */
  where?: string;
  /** The table that the notice is about. */
  table?: string;
  /** `warning` if something is allowed that the author may believe to be denied. Default: `note`. */
  severity?: "note" | "warning";
  doNext?: string;
}

/** The result of all layers. */
export interface Composed {
  /** Files in order; later ones win. */
  files: string[];
  /** Loaded plugins in order, with the origin of each. */
  plugins: { id: string; scope: "host" | "session"; origin: string }[];
  /** Plugins that were switched off, with the origin of each. */
  without: { id: string; origin: string }[];
  settings: Setting[];
  /** The layers with what names each: `--preset` or `file:line`. */
  layers?: { file: string; by: string }[];
  /** Settings that projects cannot change. */
  locked?: { path: string; origin: string }[];
  /** Requirements; `unmet` says why one is not fulfilled. */
  requires?: { what: string; origin: string; unmet?: string }[];
  /** Contents of preset folders. `unused` says why an extension is not loaded. */
  ships?: { kind: "extension" | "instructions" | "skill"; name: string; origin: string; unused?: string }[];
  /** Settings that are accepted but may not do what their author expects. */
  notices: LayerNotice[];
}

/** Problems of a preset, with file and line where known. */
export interface PresetFindings {
  /** Files that were read, in order. */
  files: string[];
  problems: string[];
  /** What cannot be checked without running code. */
  unknown: string[];
}

/** The service `layers`: presets and configuration, for inspection. */
export interface LayersService {
  /** Lists the presets of the user and of the project around `cwd`; default: the directory of the run. */
  presets(cwd?: string): Promise<PresetSummary[]>;
  /**
   * Resolves a preset by name or path with everything it extends, without config.toml. Throws CONFIG_PRESET_UNKNOWN and
   * other CONFIG errors.
   */
  preset(name: string): Promise<Composed>;
  /** Checks a preset by name or path without running its code. */
  check(name: string): Promise<PresetFindings>;
  /**
   * Resolves a preset and the config.toml files. Default: the preset and the directory of the run. Throws CONFIG errors.
   */
  config(at?: { cwd: string; preset?: string | undefined }): Promise<Composed>;
  /** Checks the tables of extensions with the schemas of the extensions, and returns the errors. Runs the extensions that have a table. */
  extensionTables(): Promise<string[]>;
  /** Returns the JSON Schema of presets and config.toml. */
  schema(): Promise<Record<string, unknown>>;
}

declare module "@scorel/kernel" {
  interface Services {
    layers: LayersService;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Returns the system prompt of a session, or of a new one in `cwd`, with its parts. Writes nothing. */
    get_prompt: { params: { sessionId?: string | undefined; cwd: string }; result: PromptView };
    /** Lists the presets of the user and of the project around a directory of the host. Presets that cannot be read have a `problem`. */
    list_presets: { params: { cwd: string } & PageParams; result: { presets: PresetSummary[] } & Page };
    /**
     * Lists the settings that a new session with the same preset and directory would have: values without secrets, the origin of each,
     * and its description.
     */
    list_settings: { params: { sessionId: string } & PageParams; result: { settings: Setting[] } & Page };
    /** Completes the beginning of an id; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
    resolve_session: { params: { sessionId: string }; result: { sessionId: string } };
  }
}
