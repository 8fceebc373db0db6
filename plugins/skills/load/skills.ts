import type { PluginContext } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import type { SkillsConfig } from "../config.ts";
import type { IndexedSkill, LoadedSkill, Skill, SkillLook, SkillState, SkillsService } from "../contract.ts";
import { sumsOf } from "../format/seal.ts";
import type { Library } from "../library/library.ts";
import { missingSkill } from "../library/missing.ts";
import { NONE, type Root, rootsOf, type StoredRoots } from "../library/roots.ts";
import { type Overview, overviewOf } from "../match/overview.ts";
import { shippedSkills } from "../shipped-skills.ts";
import { returningBytes } from "./budget.ts";

export type SkillsContext = PluginContext<SkillsConfig>;

/** The skills of one session: available and loaded ones. Reads no files if there are only shipped skills. */
export class Skills implements SkillsService {
  readonly ctx: SkillsContext;
  look: SkillLook;
  /** Whether a turn has begun and its first request was not made yet. */
  turnBegins = false;
  /** Messages up to this seq were already searched for skill names. */
  readTo: number;
  /** Text that the current request adds to the end of the system prompt. */
  system = "";
  /** State for a single request; valid while `leaf` is the active leaf. */
  once: { leaf: string | null; state: SkillState } | undefined;
  /** How often skills were loaded on this machine; read only if the list has no room for all. */
  private uses: ReadonlyMap<string, number> = new Map();
  /** Names of skills whose descriptions were added after a message. */
  readonly hinted = new Set<string>();
  /** First-time fetches of archives, by address. */
  readonly fetches = new Map<string, Promise<void>>();
  private library: Library | undefined;
  private readonly shipped: readonly Skill[];
  private readonly reported = new Set<string>();

  constructor(ctx: SkillsContext) {
    this.ctx = ctx;
    this.shipped = shippedSkills();
    this.readTo = ctx.session.seq;
    this.look = this.offered({ skills: this.shipped, shadowed: [], skipped: [] });
  }

  get placement(): SkillsService["placement"] {
    return this.ctx.config.placement;
  }
  get state(): SkillState {
    return this.ctx.session.projection("skillState");
  }
  /** Skills that the model may load. */
  get forModel(): readonly Skill[] {
    return this.look.skills.filter(({ userOnly }) => !userOnly);
  }
  /** Skills that the prompt's list includes. */
  get listed(): readonly Skill[] {
    return this.forModel.filter(({ isUnlisted }) => !isUnlisted);
  }
  /** Whether the model can load skills at all; `--tools` or a preset may exclude the tool. */
  get isOffered(): boolean {
    return this.ctx.find("tools")?.get("skill_load") !== undefined;
  }

  /** The list as it would look now. */
  get overview(): Overview {
    const { overview, guidance } = this.ctx.config;
    return overviewOf(this.listed, overview, guidance, this.uses);
  }
  /** Whether the list, as it was when the session began, was shortened, so that the model needs a search. */
  get isShortened(): boolean {
    return this.ctx.session.projection("skillIndex")?.shortened ?? this.overview.shortened;
  }

  /** Reads use counts before the list is frozen, if it has to be shortened. Without counts, the list is ordered by source. */
  async rank(): Promise<void> {
    const home = this.ctx.find("workspace")?.home;
    if (home === undefined || this.ctx.session.projection("skillIndex") || !this.overview.shortened) return;
    try {
      this.uses = (await import("../library/uses.ts")).usesIn(home);
    } catch (thrown) {
      this.ctx.logger.debug("How often skills were used cannot be read.", thrown);
    }
  }

  /** Counts a load in stored sessions. A failure is only logged. */
  async countUse(name: string): Promise<void> {
    const { home, file } = this.ctx.find("workspace") ?? {};
    if (home === undefined || file === undefined) return;
    try {
      (await import("../library/uses.ts")).recordUse(home, name);
    } catch (thrown) {
      this.ctx.logger.debug("The use of a skill was not counted.", thrown);
    }
  }

  /** A skill as described in the session's index. */
  indexed(name: string): IndexedSkill | undefined {
    return this.ctx.session.projection("skillIndex")?.now.find((row) => row.name === name);
  }

  /** Whether a text is in the conversation that the model sees now. */
  isShown(content: string): boolean {
    const { shown, through } = this.state;
    const seq = shown[content];
    if (seq === undefined) return false;
    // A path only grows, so an event with a higher seq comes after the summarised part.
    return through === undefined || seq > (this.ctx.session.tree.get(through)?.seq ?? 0);
  }

  /** A skill reduced to texts that the log has. An imported log may lack some. */
  held({ content, docs, ...skill }: LoadedSkill): LoadedSkill[] {
    const { tree } = this.ctx.session;
    const holds = (id: string) => tree.get(id)?.type === "skill_content";
    const body = content !== undefined && holds(content) ? { content } : {};
    const kept = docs.filter((doc) => holds(doc.content));
    return "content" in body || kept.length > 0 ? [{ ...skill, ...body, docs: kept }] : [];
  }

  returning(through: string): number {
    return this.state.loaded.length > 0 ? returningBytes(this, through) : 0;
  }

  async refresh(): Promise<SkillLook> {
    this.look = await this.lookAt(await this.roots());
    return this.look;
  }

  /** The result of a search if the skills in a folder were added, or replaced the stored entry with this id. */
  async preview(folder: string, instead: string | undefined): Promise<SkillLook> {
    const added: Root = { source: "user", folder, files: folder };
    const roots = await this.roots();
    const at = instead === undefined ? -1 : roots.findIndex(({ stored }) => stored?.id === instead);
    if (at >= 0) return await this.lookAt(roots.with(at, added));
    const end = roots.findLastIndex(({ source }) => source === "project" || source === "user") + 1;
    return await this.lookAt(roots.toSpliced(end, 0, added));
  }

  private async roots(): Promise<Root[]> {
    const workspace = this.ctx.find("workspace");
    const report = (thrown: unknown) => this.reportOnce(thrown);
    const stored = workspace && (await this.stored(workspace, report));
    return rootsOf(workspace, this.ctx.config.roots, report, stored);
  }

  private async lookAt(roots: readonly Root[]): Promise<SkillLook> {
    // The library, which parses YAML, is loaded with the first root and then reused.
    if (roots.length > 0 && !this.library) this.library = new (await import("../library/library.ts")).Library();
    const look = (await this.library?.look(roots, this.shipped)) ?? { skills: this.shipped, shadowed: [], skipped: [] };
    return this.offered(look);
  }

  /** Searches again, and waits for first-time fetches, at most `most` milliseconds. */
  async ready(most?: number): Promise<SkillLook> {
    await this.refresh();
    if (this.fetches.size === 0) return this.look;
    const fetched = Promise.all(this.fetches.values());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      if (most !== undefined) timer = setTimeout(resolve, most).unref();
    });
    await Promise.race([fetched, late]);
    clearTimeout(timer);
    return await this.refresh();
  }

  missing(name: string, among: readonly Skill[]): Error {
    return missingSkill(name, among, this.ctx.find("workspace"));
  }

  sums(skill: Skill): ReadonlyMap<string, string> | undefined {
    return sumsOf(skill);
  }

  /** The installed skills. Loads nothing if there is no store or it is empty. */
  private async stored(workspace: Workspace, report: (thrown: unknown) => void): Promise<StoredRoots> {
    const { roots } = this.ctx.config;
    const added = roots.length > 0 ? undefined : await this.ctx.find("skillStore")?.list().catch(report);
    if (roots.length === 0 && (added ?? []).length === 0) return NONE;
    return await (await import("../library/stored.ts")).storedRoots(this, workspace, report);
  }

  private offered(look: SkillLook): SkillLook {
    const { disabled } = this.ctx.config;
    const redact = (text: string) => this.ctx.find("secrets")?.redact(text) ?? text;
    const skills = look.skills.filter(({ name }) => !disabled.includes(name));
    // Descriptions of shipped skills contain no secrets.
    const told = skills.map((skill) =>
      skill.source === "shipped" ? skill : { ...skill, description: redact(skill.description) },
    );
    return { ...look, skills: told };
  }

  /** Reports an error only once, since it occurs at each search. */
  private reportOnce(thrown: unknown): void {
    const text = String(thrown);
    if (this.reported.has(text)) return;
    this.reported.add(text);
    this.ctx.report("roots", thrown);
  }
}
