import type { OperationContext } from "@scorel/host/contract";
import type { SessionHeader } from "@scorel/kernel";
import type {} from "@scorel/projects/contract";
import type { SkillReport } from "../contract.ts";
import type { Skills } from "../load/skills.ts";
import { reportOn } from "./report.ts";

/** The report on one session, on all (`"all"`), or on the sessions of this session's project. */
export async function report(
  { ctx }: Skills,
  of: string | undefined,
  { sessionsDir: directory, logs, resolve, assertSession }: OperationContext,
): Promise<SkillReport> {
  await assertSession(of === "all" ? undefined : of);
  const redact = (text: string) => ctx.find("secrets")?.redact(text) ?? text;
  if (of !== undefined && of !== "all")
    return reportOn({ directory, logs, sessionId: resolve(of), belongs: () => true, redact });
  const belongs = of === "all" ? () => true : await neighbours(ctx);
  return reportOn({ directory, logs, belongs, redact });
}

/** Tests whether a session is in the same project; without the service `projects`, in the same root. */
async function neighbours(ctx: Skills["ctx"]): Promise<(header: SessionHeader) => boolean> {
  const book = await ctx.find("projects")?.book();
  const placeOf = ({ createdAt, meta }: SessionHeader) => {
    const { cwd = "", root, projectId } = meta as Partial<Record<string, string>>;
    return { cwd, createdAt, root, projectId };
  };
  const groupOf = (header: SessionHeader) => {
    const place = placeOf(header);
    return book?.of(place)?.projectId ?? place.root ?? place.cwd;
  };
  const own = groupOf(ctx.session.header);
  return (header) => groupOf(header) === own;
}
