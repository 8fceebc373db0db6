import { lineOf } from "@scorel/kit/text/one-line";
import { nearest } from "@scorel/kit/values/nearest";
import type { Context } from "../context.ts";
import type { AgentDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { agentFolders } from "./folders.ts";
import { missingTools } from "./narrowing.ts";
import { shippedAgents } from "./shipped.ts";

/** Most characters of a name in an error. */
const LONGEST_NAME = 100;

/** The definitions of a session, and an error for each invalid file. If the user and the project have no files, nothing is read. */
export class Agents {
  readonly all: readonly AgentDefinition[];
  readonly flaws: readonly Error[];

  private readonly checked = new Set<AgentDefinition>();

  private constructor(all: readonly AgentDefinition[], flaws: readonly Error[]) {
    this.all = all;
    this.flaws = flaws;
  }

  static async of(ctx: Context): Promise<Agents> {
    const folders = agentFolders(ctx.workspace);
    const { agents, flaws } =
      folders.length === 0 ? { agents: [], flaws: [] } : await (await import("./read.ts")).readAgents(folders);
    const shipped = shippedAgents.filter(({ name }) => !agents.some((each) => each.name === name));
    return new Agents([...agents, ...shipped], flaws);
  }

  /** Returns a definition. Throws SUBAGENT_UNKNOWN. */
  get(name: string): AgentDefinition {
    const found = this.all.find((each) => each.name === name);
    if (found) return found;
    const known = this.all.map((each) => each.name);
    throw errors.SUBAGENT_UNKNOWN({ agent: lineOf(name).slice(0, LONGEST_NAME), near: nearest(name, known), known });
  }

  /** Shows an error, once per session, if a definition names tools that the session does not have. */
  checkTools(ctx: Context, agent: AgentDefinition): void {
    if (this.checked.has(agent)) return;
    this.checked.add(agent);
    const flaw = missingTools(ctx.find("tools")?.names() ?? [], agent);
    if (flaw) ctx.report("", flaw);
  }
}
