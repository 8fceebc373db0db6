import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import type { ProjectsService } from "@scorel/projects/contract";
import { z } from "zod";
import type { Hit } from "./contract.ts";

const DEFAULT_LIMIT = 50;

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** Creates the operations `search_sessions` and `get_usage`. */
export function operations(projects: () => ProjectsService | undefined) {
  return {
    search_sessions: {
      summary: "Searches the readable text of all sessions, or those of a project; the last changed come first.",
      readOnly: true,
      size: "pages",
      params: () =>
        z.strictObject({
          text: z.string(),
          caseSensitive: z.boolean().optional(),
          project: z.string().min(1).optional(),
          perSession: z.number().int().min(1).max(1000).optional(),
          limit: z.number().int().min(1).max(1000).default(DEFAULT_LIMIT),
          skip: z.number().int().min(0).max(100_000).optional(),
        }),
      result: async () => (await results()).search_sessions,
      run: async (
        { text, caseSensitive, project, perSession = Number.POSITIVE_INFINITY, limit = DEFAULT_LIMIT, skip = 0 },
        { sessionsDir: directory, logs, signal },
      ) => {
        const [{ search }, { membersOf }] = await Promise.all([import("./hits.ts"), import("./membership.ts")]);
        const belongs = await membersOf(projects, { directory, logs }, project, "/");
        const hits: Hit[] = [];
        const counts = new Map<string, number>();
        for await (const hit of search({ directory, logs, text, caseSensitive, belongs, signal })) {
          const count = (counts.get(hit.sessionId) ?? 0) + 1;
          counts.set(hit.sessionId, count);
          if (count > perSession) continue;
          hits.push(hit);
          // One more than the page, which shows that there are further ones.
          if (hits.length > skip + limit) break;
        }
        return { hits };
      },
    },
    get_usage: {
      summary: "Sums what all sessions have used, by day, model or project.",
      readOnly: true,
      size: "pages",
      params: () =>
        z.strictObject({ by: z.enum(["day", "model", "project"]).optional(), since: z.string().optional() }),
      result: async () => (await results()).get_usage,
      run: async ({ by = "day", since }, { sessionsDir: directory, logs, signal }) => {
        const { sinceTime, spentIn } = await import("./usage.ts");
        const { projectNames } = await import("./membership.ts");
        const projectOf = await projectNames(projects);
        const from = since === undefined ? 0 : sinceTime(since, Date.now());
        return spentIn({ directory, logs, by, since: from, projectOf, signal });
      },
    },
  } satisfies Contributions["operations"];
}
