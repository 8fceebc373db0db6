import type { Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { createOutput } from "@scorel/kit/terminal/output";
import { visibleText } from "@scorel/kit/text/plain";
import type { SkillLook } from "@scorel/skills/contract";
import type { Reach, SkillStore, StagedSkills } from "@scorel/skillstore/contract";
import { inSession } from "./command-context.ts";
import { errors } from "./errors.ts";

/** The context of commands that change installed skills. */
export interface SourceContext {
  store: SkillStore;
  invocation: Invocation;
  /** Which hosts may be contacted, from the configuration. */
  reach: Reach;
  /** The archives in the configuration: addresses and absolute paths. */
  roots: readonly string[];
  /** The skills that a session started here could load now. */
  look(): Promise<SkillLook>;
  /** The skills in a folder. */
  read(path: string): Promise<SkillLook>;
  /** The skills that a session started here could load if this were installed. */
  preview(staged: StagedSkills): Promise<SkillLook>;
  /** Prints lines without terminal control characters, since file names are untrusted. */
  say(...lines: string[]): Promise<void>;
}

/** Runs a command that changes installed skills, and returns its exit code. Throws SKILLBOOK and SKILLSTORE errors. */
export async function withSources(
  { host, store }: { host: HostService | undefined; store: SkillStore | undefined },
  invocation: Invocation,
  work: (context: SourceContext) => Promise<number>,
): Promise<number> {
  return await inSession(host, invocation, async ({ request, sessionId }) => {
    if (!store) throw errors.SKILLBOOK_NO_STORE();
    const { roots, allowHosts } = await request("skill_sources", { sessionId });
    const output = createOutput(invocation.stdout);
    return await work({
      store,
      invocation,
      reach: { allowHosts, env: invocation.env, signal: invocation.interrupt },
      roots,
      look: () => request("list_skills", { sessionId }),
      read: (path) => request("read_skills", { sessionId, path }),
      preview: ({ folder, before }) => request("preview_skills", { sessionId, path: folder, instead: before?.id }),
      say: (...lines) => output.write(visibleText(lines.map((line) => `${line}\n`).join(""))),
    });
  });
}
