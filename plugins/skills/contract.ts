import type { EventId } from "@scorel/kernel";

/** Where a skill comes from; of two with one name the earlier of these counts. */
export type SkillSource = "project" | "user" | "configured" | "package" | "shipped";

/** A skill as it can be loaded now. */
export interface Skill {
  name: string;
  description: string;
  source: SkillSource;
  /** Its folder, as people see it. */
  folder: string;
  /** Where its files are read: the same folder, or that of the private copy of what is trusted. A real path. */
  files: string;
  /** Its SKILL.md below `files`. */
  file: string;
  /** The real folder that none of its files may lie outside of. */
  root: string;
  /** sha256 of its SKILL.md. */
  digest: string;
  /** The archive, folder or file that it was brought from; its files are kept as they were then. */
  archive?: SkillArchive;
  /** Only a person may load it (`disable-model-invocation`). */
  userOnly?: true;
  /** The model's list leaves it out until a message asks for what it is about. */
  isUnlisted?: true;
  /** Where it keeps to the open format only loosely. */
  warnings: readonly SkillFinding[];
}
/** What the plugin `skillstore` keeps a skill as. */
export interface SkillArchive {
  /** What `scorel skill update` and `remove` call it. */
  name: string;
  /** Its address or path, without a query. */
  from: string;
  /** sha256 of the list of its files with theirs. */
  tree: string;
}
/** Something about a SKILL.md, by its line. */
export interface SkillFinding {
  line: number;
  /** `error`: the open format does not allow it; `warning`: it only advises against it. */
  level: "error" | "warning";
  message: string;
}
/** A skill of a name that another one has taken. */
export interface ShadowedSkill {
  name: string;
  folder: string;
  source: SkillSource;
  /** The folder of the one that counts. */
  by: string;
}
/** What looked like a skill and is none. */
export interface SkippedSkill {
  folder: string;
  reason: string;
}
/** All that was found in the roots, by name. */
export interface SkillLook {
  skills: readonly Skill[];
  shadowed: readonly ShadowedSkill[];
  skipped: readonly SkippedSkill[];
}

/** What the model is told of a skill. */
export interface IndexedSkill {
  name: string;
  description: string;
  source: SkillSource;
  folder: string;
  digest: string;
}
/** A change of the index; `skills` are new or differ. */
export interface SkillChanges {
  skills: IndexedSkill[];
  removed: string[];
}

/** A doc of a loaded skill; `content` is the event that holds its text. */
export interface LoadedDoc {
  path: string;
  content: EventId;
}
/** What is loaded of a skill: its body, docs of it, or both. */
export interface LoadedSkill {
  name: string;
  /** sha256 of the SKILL.md that was read, and the event that holds its body. */
  digest?: string;
  content?: EventId;
  /** Told to the model when the skill has files beside its docs. */
  folder?: string;
  docs: LoadedDoc[];
}

/** The session's keys of skills: `temp:skill:loaded:<name>` is "1", `temp:skill:docs:<name>` is "*" or a JSON array of paths. */
export type SkillKeys = Readonly<Record<string, string>>;
/** A change of those keys; null ends one. */
export type SkillStateDelta = Readonly<Record<string, string | null>>;

/** What is loaded on the path to the active leaf. */
export interface SkillState {
  keys: SkillKeys;
  /** In the order in which they were loaded, the latest last. */
  loaded: readonly LoadedSkill[];
  /** Content event -> seq of the `skill_context` that put it into the conversation. */
  shown: Readonly<Record<EventId, number>>;
  /** The latest summary stands for everything up to this event. */
  through?: EventId;
  /** What was told of changed skills, with its seq. */
  told: readonly (SkillChanges & { seq: number })[];
}

/** A word, and how many prompts had it. */
export interface WordCount {
  word: string;
  prompts: number;
}
/** A prompt that held words of a skill which its session never loaded. */
export interface SkillMiss {
  sessionId: string;
  eventId: EventId;
  /** The session's first turn is 1. */
  turn: number;
  /** Milliseconds since the epoch. */
  ts: number;
  /** The words, as the prompt has them. */
  words: string[];
  /** A part of the prompt in one line, secrets redacted. */
  prompt: string;
}
/** What became of a skill that models were told of. */
export interface ReportedSkill {
  name: string;
  /** As a model was told it last; empty for a skill that only people may load. */
  description: string;
  /** Sessions whose model was told of it. */
  shown: number;
  /** Prompts whose words are its own. */
  matched: number;
  /** How often it was loaded: by the model, by `/skill:name`, by `$name`. */
  loaded: { model: number; command: number; mention: number };
  /** Sessions in which it was loaded, docs of it were, or a program of it ran. */
  loadedIn: number;
  /** Programs of it that ran. */
  runs: number;
  /** Those of the matches in whose sessions nothing of it was used, and the latest hundred of them, the latest first. */
  misses: number;
  missed: SkillMiss[];
  /** Words of the misses, the most frequent first. */
  words: WordCount[];
  /** What people wrote who named it, in words that it does not say of itself, the most frequent first. */
  lacking: WordCount[];
}
export interface SkillReport {
  /** Sessions whose models were told of skills, and those that had none. */
  sessions: number;
  without: number;
  /** Prompts in the former. */
  prompts: number;
  /** Those with the most misses first. */
  skills: ReportedSkill[];
  /** What could not be read; the rest was. */
  damaged: { sessionId: string; line?: number; reason: string }[];
}

export interface SkillsService {
  readonly placement: "append" | "system" | "tool_result";
  /** As of the latest look, which is taken when the session opens and at the begin of each turn. */
  readonly look: SkillLook;
  /** Looks again; reads only what has changed. */
  refresh(): Promise<SkillLook>;
  /**
   * What the files of a skill from an archive have to be: sha256 by their paths below its folder; undefined for other skills.
   * Throws SKILL_CHANGED when that is not known any more.
   */
  sums(skill: Skill): ReadonlyMap<string, string> | undefined;
  /**
   * Bytes of loaded text that a request holds which begins with a summary of everything up to this event: what stood in it and
   * is put behind it, or, where each request is given loaded text anew, all of it.
   */
  returning(through: EventId): number;
}

declare module "@scorel/kernel" {
  interface Services {
    skills: SkillsService;
  }
  interface Events {
    /** The skills that the model of this session knows of: all of them once (`snapshot`), then what changes. */
    skill_index: { snapshot?: true; shortened?: true } & SkillChanges;
    /** A text that was loaded, as it was at that moment: a skill's body (`path` is that of its SKILL.md) or one of its docs. */
    skill_content: { skill: string; path: string; digest: string; text: string };
    /** Keys of skills that were changed by no tool: ended with a turn or a request, or loaded by a person. */
    skill_state: { why: "turn" | "once" | "user" | "room"; stateDelta: SkillStateDelta; skills: LoadedSkill[] };
    /** Loaded text stands here in the conversation; `again` after a summary that swallowed it. */
    skill_context: { skills: LoadedSkill[]; again?: true; left: string[] };
  }
  interface Projections {
    /** The index as it was first told, and as it is now; null before the first. */
    skillIndex: { first: readonly IndexedSkill[]; now: readonly IndexedSkill[]; shortened: boolean } | null;
    /** `<digest> <skill>/<path>` -> the event that holds the text. */
    skillContents: Readonly<Record<string, EventId>>;
    /** What is loaded on the path to the active leaf, and what was told of skills on it. */
    skillState: SkillState;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** The skills of an open session, looked for anew. */
    list_skills: { params: { sessionId: string }; result: SkillLook };
    /** One of them with its text and the paths of its docs. Throws SKILL_UNKNOWN and SKILL_UNREADABLE. */
    get_skill: {
      params: { sessionId: string; name: string };
      result: { skill: Skill; body: string; docs: string[] };
    };
    /** The skills in a folder of the host's machine, as if it were a root. */
    read_skills: { params: { sessionId: string; path: string }; result: SkillLook };
    /**
     * What `list_skills` would answer if the skills in a folder were added to the store, or took the place of what it keeps
     * by the id `instead`.
     */
    preview_skills: { params: { sessionId: string; path: string; instead?: string | undefined }; result: SkillLook };
    /** What the configuration of a session says of archives: where they are, and what may be reached for them. */
    skill_sources: { params: { sessionId: string }; result: { roots: string[]; allowHosts: string[] } };
    /**
     * What the open format says of the SKILL.md files at a path of the host's machine, or of a session's skill by its name;
     * all of the session's skills by default. Throws SKILL_PATH.
     */
    check_skills: {
      params: { sessionId: string; path?: string };
      result: { files: { file: string; findings: SkillFinding[] }[] };
    };
    /**
     * What became of the skills that models were told of, by the logs: of one session (`of`, or the beginning of its id), of
     * all (`"all"`), or by default of those in the project of this session. Throws SKILL_LOGS and SESSION_ errors.
     */
    report_skills: { params: { sessionId: string; of?: string }; result: SkillReport };
  }
}
