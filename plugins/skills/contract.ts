import type { Page, PageParams } from "@scorel/host/contract";
import type { EventId } from "@scorel/kernel";

/** Where a skill comes from. When two have the same name, the earlier source in this list wins. */
export type SkillSource = "project" | "user" | "configured" | "package" | "shipped";

/** An available skill. */
export interface Skill {
  name: string;
  description: string;
  source: SkillSource;
  /** Its folder, as shown to people. */
  folder: string;
  /** The real path where its files are read: the same folder, or a private copy of trusted files. */
  files: string;
  /** The path of its SKILL.md relative to `files`. */
  file: string;
  /** The real folder that all its files must be inside. */
  root: string;
  /** The sha256 of its SKILL.md. */
  digest: string;
  /** The archive, folder or file from which it was installed; its files are kept as installed. */
  archive?: SkillArchive;
  /** Only a person can load it (`disable-model-invocation`). */
  userOnly?: true;
  /** Left out of the model's list until a message asks for its topic. */
  isUnlisted?: true;
  /** Violations of the open format that were tolerated. */
  warnings: readonly SkillFinding[];
}
/** How the plugin `skillstore` identifies an installed skill. */
export interface SkillArchive {
  /** The name used by `scorel skill update` and `remove`. */
  name: string;
  /** Its address or path, without a query. */
  from: string;
  /** The sha256 of the list of its files and their hashes. */
  tree: string;
}
/** A finding about a line of a SKILL.md. */
export interface SkillFinding {
  line: number;
  /** `error`: forbidden by the open format; `warning`: discouraged. */
  level: "error" | "warning";
  message: string;
}
/** A skill whose name is taken by another one. */
export interface ShadowedSkill {
  name: string;
  folder: string;
  source: SkillSource;
  /** The folder of the skill that is used. */
  by: string;
}
/** A folder that looks like a skill but cannot be used. */
export interface SkippedSkill {
  folder: string;
  reason: string;
}
/** Everything found in the roots, sorted by name. */
export interface SkillLook {
  skills: readonly Skill[];
  shadowed: readonly ShadowedSkill[];
  skipped: readonly SkippedSkill[];
}

/** A skill as it was described to the model. */
export interface IndexedSkill {
  name: string;
  description: string;
  source: SkillSource;
  folder: string;
  digest: string;
}
/** A change of the index: new or changed skills, and the names of removed ones. */
export interface SkillChanges {
  skills: IndexedSkill[];
  removed: string[];
}

/** A doc of a loaded skill; `content` is the id of the event with its text. */
export interface LoadedDoc {
  path: string;
  content: EventId;
}
/** The loaded parts of a skill: its body, docs, or both. */
export interface LoadedSkill {
  name: string;
  /** The sha256 of the SKILL.md; `content` is the id of the event with its body. */
  digest?: string;
  content?: EventId;
  /** Shown to the model when the skill has files besides docs. */
  folder?: string;
  docs: LoadedDoc[];
}

/**
 * The session's state of skills: `temp:skill:loaded:<name>` is "1", `temp:skill:docs:<name>` is "*" or a JSON array of paths.
 */
export type SkillKeys = Readonly<Record<string, string>>;
/** A change of these keys; null removes a key. */
export type SkillStateDelta = Readonly<Record<string, string | null>>;

/** What is loaded on the path to the active leaf. */
export interface SkillState {
  keys: SkillKeys;
  /** In load order, latest last. */
  loaded: readonly LoadedSkill[];
  /** Maps a content event to the seq of the `skill_context` that put it into the conversation. */
  shown: Readonly<Record<EventId, number>>;
  /** The last event that the latest summary covers; absent without a summary. */
  through?: EventId;
  /** Announced changes of the index, with their seq. */
  told: readonly (SkillChanges & { seq: number })[];
}

/** A word and the number of prompts that contain it. */
export interface WordCount {
  word: string;
  prompts: number;
}
/** A prompt that matches a skill which its session never loaded. */
export interface SkillMiss {
  sessionId: string;
  eventId: EventId;
  /** The session's first turn is 1. */
  turn: number;
  /** Milliseconds since the epoch. */
  ts: number;
  /** The matching words, as written in the prompt. */
  words: string[];
  /** An excerpt of the prompt on one line, with secrets redacted. */
  prompt: string;
}
/** How a skill that models were told about was used. */
export interface ReportedSkill {
  name: string;
  /** The last description that a model was given; empty for a skill that only people can load. */
  description: string;
  /** In how many sessions the model was told about it. */
  shown: number;
  /** How many prompts match it. */
  matched: number;
  /** How many times it was loaded: by the model, by `/skill:name`, by `$name`. */
  loaded: { model: number; command: number; mention: number };
  /** In how many sessions it or its docs were loaded, or one of its programs ran. */
  loadedIn: number;
  /** How many of its programs ran. */
  runs: number;
  /** How many matching prompts had no use of it in their session; `missed` has the latest hundred, latest first. */
  misses: number;
  missed: SkillMiss[];
  /** Words of the missed prompts, the most frequent first. */
  words: WordCount[];
  /** Words missing in its description that people used when they named the skill, the most frequent first. */
  lacking: WordCount[];
}
export interface SkillReport {
  /** How many sessions were told about skills, and how many were not (`without`). */
  sessions: number;
  without: number;
  /** Prompts in sessions that were told about skills. */
  prompts: number;
  /** Sorted by misses, most first. */
  skills: ReportedSkill[];
  /** Logs or lines that could not be read; everything else is in the report. */
  damaged: { sessionId: string; line?: number; reason: string }[];
}

export interface SkillsService {
  readonly placement: "append" | "system" | "tool_result";
  /** The result of the latest search of the roots, which happens on opening the session and at the start of each turn. */
  readonly look: SkillLook;
  /** Searches the roots again; reads only changed files. */
  refresh(): Promise<SkillLook>;
  /** The error for a name that none of these skills has: there is no such skill, or it belongs to a project that is not trusted. */
  missing(name: string, among: readonly Skill[]): Error;
  /**
   * The expected sha256 of each file of an installed skill, by relative path; undefined for other skills. Throws SKILL_CHANGED
   * when the list itself is damaged.
   */
  sums(skill: Skill): ReadonlyMap<string, string> | undefined;
  /**
   * The bytes of loaded text in a request that starts with a summary of everything up to this event: the texts that are
   * repeated after the summary or, in other placements, all loaded texts.
   */
  returning(through: EventId): number;
}

declare module "@scorel/kernel" {
  interface Services {
    skills: SkillsService;
  }
  interface Events {
    /** The skills that the model knows: first all of them (`snapshot`), later only changes. */
    skill_index: { snapshot?: true; shortened?: true } & SkillChanges;
    /** A text as it was when it was loaded: a skill's body (`path` is that of its SKILL.md) or a doc. */
    skill_content: { skill: string; path: string; digest: string; text: string };
    /**
     * A change of the state of skills that no tool result contains: skills that were unloaded after a turn, after a
     * request or for lack of room, or that a person loaded.
     */
    skill_state: { why: "turn" | "once" | "user" | "room"; stateDelta: SkillStateDelta; skills: LoadedSkill[] };
    /**
     * Loaded texts that are added to the conversation here; `again` when a summary had removed them. `left` names
     * skills for which there was no room.
     */
    skill_context: { skills: LoadedSkill[]; again?: true; left: string[] };
  }
  interface Projections {
    /** The first index and the current one; null before the first. */
    skillIndex: { first: readonly IndexedSkill[]; now: readonly IndexedSkill[]; shortened: boolean } | null;
    /** Maps `<digest> <skill>/<path>` to the event with the text. */
    skillContents: Readonly<Record<string, EventId>>;
    /** What is loaded on the path to the active leaf, and which changes were announced on it. */
    skillState: SkillState;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Searches for the skills of an open session and lists them. */
    list_skills: { params: { sessionId: string }; result: SkillLook };
    /** A skill with its text and the paths of its docs. Throws SKILL_UNKNOWN and SKILL_UNREADABLE. */
    get_skill: {
      params: { sessionId: string; name: string };
      result: { skill: Skill; body: string; docs: string[] };
    };
    /** The skills in a folder of the host, as if it were a root. */
    read_skills: { params: { sessionId: string; path: string }; result: SkillLook };
    /**
     * The result of `list_skills` if the skills in a folder were added to the store, or replaced the stored entry with the id
     * `instead`.
     */
    preview_skills: { params: { sessionId: string; path: string; instead?: string | undefined }; result: SkillLook };
    /** The archives in a session's configuration, and the hosts that may be contacted for them. */
    skill_sources: { params: { sessionId: string }; result: { roots: string[]; allowHosts: string[] } };
    /**
     * Checks skills against the open format: those at a path of the host, one by name, or by default all of the session. Throws
     * SKILL_PATH.
     */
    check_skills: {
      params: { sessionId: string; path?: string };
      result: { files: { file: string; findings: SkillFinding[] }[] };
    };
    /**
     * Reports from the logs how skills were used: in one session (`of`, or a prefix of its id), in all (`"all"`), or by default
     * in this session's project. Throws SKILL_LOGS and SESSION_ errors.
     */
    report_skills: { params: { sessionId: string; of?: string } & PageParams; result: SkillReport & Page };
  }
}
