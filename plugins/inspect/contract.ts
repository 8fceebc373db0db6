import type { PromptView } from "@scorel/prompt/contract";

/** A preset as `scorel preset list` names it. */
export interface PresetSummary {
  name: string;
  description: string;
  /** Its files, weakest first: a later one is a layer over those before. */
  files: string[];
  /** Where an installed one is from; a `changed` one is refused, and nothing of it is read. */
  installed?: { from: string; version?: string; state: "installed" | "changed" };
}

/** One value of the configuration and who set it. */
export interface Setting {
  /** Dotted, as in TOML: `model.provider`. */
  path: string;
  value: unknown;
  /** `file:line`, or `default` when no layer set it. */
  origin: string;
  /** `file:line` of the lock that keeps projects from setting it. */
  locked?: string;
}

/** What all layers together come to. */
export interface Composed {
  /** The files in order; later ones win. */
  files: string[];
  /** What is loaded, in order, with who asked for it. */
  plugins: { id: string; scope: "host" | "session"; origin: string }[];
  /** What was switched off, with who did. */
  without: { id: string; origin: string }[];
  settings: Setting[];
  /** The layers again, each with who names it: `--preset`, or `file:line`. */
  layers?: { file: string; by: string }[];
  /** What no project may change. */
  locked?: { path: string; origin: string }[];
  /** What has to be there, and why it will not do where it does not. */
  requires?: { what: string; origin: string; unmet?: string }[];
  /** What presets that are folders bring beside their settings; extensions as far as they are not loaded, with the reason. */
  ships?: { kind: "extension" | "instructions" | "skill"; name: string; origin: string; unused?: string }[];
  /** What is accepted and has no effect. */
  notices: string[];
}

/** What is wrong with a preset, each with file and line where they are known. */
export interface PresetFindings {
  /** The files that were read, in order. */
  files: string[];
  problems: string[];
  /** What cannot be judged without running its code. */
  unknown: string[];
}

/** The layers of presets and configuration, for looking at; given to the host kernel by the loader. */
export interface LayersService {
  presets(): Promise<PresetSummary[]>;
  /** A preset by name or path with all it extends, without config.toml. Throws CONFIG_PRESET_UNKNOWN and other CONFIG errors. */
  preset(name: string): Promise<Composed>;
  /** Everything wrong with a preset by name or path; runs no code of it. */
  check(name: string): Promise<PresetFindings>;
  /** The preset of this run with the config.toml files over it. Throws CONFIG errors. */
  config(): Promise<Composed>;
  /** The JSON Schema of a preset or config.toml. */
  schema(): Promise<Record<string, unknown>>;
}

declare module "@scorel/kernel" {
  interface Services {
    layers: LayersService;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** The system prompt of a session, or that of one begun in `cwd` now, with its parts. Writes nothing. */
    get_prompt: { params: { sessionId?: string | undefined; cwd: string }; result: PromptView };
    /** The whole id of the one session that begins so; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
    resolve_session: { params: { sessionId: string }; result: { sessionId: string } };
  }
}
