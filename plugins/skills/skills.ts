import type { PluginContext } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import { returningBytes } from "./budget.ts";
import type { SkillsConfig } from "./config.ts";
import type { IndexedSkill, LoadedSkill, Skill, SkillLook, SkillState, SkillsService } from "./contract.ts";
import type { Library } from "./library.ts";
import { type Overview, overviewOf } from "./overview.ts";
import { NONE, type Root, rootsOf, type StoredRoots } from "./roots.ts";
import { sumsOf } from "./seal.ts";
import { shippedSkills } from "./shipped-skills.ts";

export type SkillsContext = PluginContext<SkillsConfig>;

/** The skills of one session: what there is, and what is loaded. Reads no file where only shipped skills are. */
export class Skills implements SkillsService {
  readonly ctx: SkillsContext;
  look: SkillLook;
  /** A turn has begun, and its first request is still to be made. */
  turnBegins = false;
  /** Up to this seq the path was read for names of skills that a person wrote. */
  readTo: number;
  /** What the request that is being made adds to the end of the system prompt. */
  system = "";
  /** What is loaded for one request: counts as long as this is the leaf. */
  once: { leaf: string | null; state: SkillState } | undefined;
  /** How often skills were loaded on this machine lately; looked up only where the list has no room for all. */
  private uses: ReadonlyMap<string, number> = new Map();
  /** Those whose descriptions this process has told behind a message. */
  readonly hinted = new Set<string>();
  /** Archives that are being fetched for the first time, by the roots that name them. */
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
  /** Those that the model may load. */
  get forModel(): readonly Skill[] {
    return this.look.skills.filter(({ userOnly }) => !userOnly);
  }
  /** Those that the list in the prompt names. */
  get listed(): readonly Skill[] {
    return this.forModel.filter(({ isUnlisted }) => !isUnlisted);
  }
  /** Whether the model is offered to load skills at all: `--tools` or a preset may leave that out. */
  get isOffered(): boolean {
    return this.ctx.find("tools")?.get("skill_load") !== undefined;
  }

  /** The list as it would be told now. */
  get overview(): Overview {
    const { overview, guidance } = this.ctx.config;
    return overviewOf(this.listed, overview, guidance, this.uses);
  }
  /** Whether the model was told less than there is, and needs a search: as it was when the session began. */
  get isShortened(): boolean {
    return this.ctx.session.projection("skillIndex")?.shortened ?? this.overview.shortened;
  }

  /** Has the list, before it is frozen, name those first that are used most. Without counts it goes by where they come from. */
  async rank(): Promise<void> {
    const home = this.ctx.find("workspace")?.home;
    if (home === undefined || this.ctx.session.projection("skillIndex") || !this.overview.shortened) return;
    try {
      this.uses = (await import("./uses.ts")).usesIn(home);
    } catch (thrown) {
      this.ctx.logger.debug("How often skills were used cannot be read.", thrown);
    }
  }

  /** Notes that a skill was loaded, in sessions that are kept. The count is a help, and no load fails for it. */
  async countUse(name: string): Promise<void> {
    const { home, file } = this.ctx.find("workspace") ?? {};
    if (home === undefined || file === undefined) return;
    try {
      (await import("./uses.ts")).recordUse(home, name);
    } catch (thrown) {
      this.ctx.logger.debug("The use of a skill was not counted.", thrown);
    }
  }

  /** A skill as the session knows it. */
  indexed(name: string): IndexedSkill | undefined {
    return this.ctx.session.projection("skillIndex")?.now.find((row) => row.name === name);
  }

  /** Whether a text stands in the conversation as the model reads it now. */
  isShown(content: string): boolean {
    const { shown, through } = this.state;
    const seq = shown[content];
    if (seq === undefined) return false;
    // A path only ever goes on, so that what is later in the log lies behind what was summarised.
    return through === undefined || seq > (this.ctx.session.tree.get(through)?.seq ?? 0);
  }

  /** A skill with those of its texts that the log holds: one that was imported tells of loads that it does not hold. */
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

  /** What a look would find if the skills in a folder were added, or took the place of what the store keeps by this id. */
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
    // What reads YAML is loaded with the first root, and gone on with once there was one.
    if (roots.length > 0 && !this.library) this.library = new (await import("./library.ts")).Library();
    const look = (await this.library?.look(roots, this.shipped)) ?? { skills: this.shipped, shadowed: [], skipped: [] };
    return this.offered(look);
  }

  /** Looks again, and waits for archives that are fetched for the first time; for so many milliseconds at most, when given. */
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

  sums(skill: Skill): ReadonlyMap<string, string> | undefined {
    return sumsOf(skill);
  }

  /** Nothing is loaded for it where there is no store, or nothing in it. */
  private async stored(workspace: Workspace, report: (thrown: unknown) => void): Promise<StoredRoots> {
    const { roots } = this.ctx.config;
    const added = roots.length > 0 ? undefined : await this.ctx.find("skillStore")?.list().catch(report);
    if (roots.length === 0 && (added ?? []).length === 0) return NONE;
    return await (await import("./stored.ts")).storedRoots(this, workspace, report);
  }

  private offered(look: SkillLook): SkillLook {
    const { disabled } = this.ctx.config;
    const redact = (text: string) => this.ctx.find("secrets")?.redact(text) ?? text;
    const skills = look.skills.filter(({ name }) => !disabled.includes(name));
    // What comes with Scorel was looked through before.
    const told = skills.map((skill) =>
      skill.source === "shipped" ? skill : { ...skill, description: redact(skill.description) },
    );
    return { ...look, skills: told };
  }

  /** A root that is wrong is wrong at each look. */
  private reportOnce(thrown: unknown): void {
    const text = String(thrown);
    if (this.reported.has(text)) return;
    this.reported.add(text);
    this.ctx.report("roots", thrown);
  }
}
