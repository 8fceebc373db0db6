import type { OperationHandler } from "@scorel/host/contract";
import { z } from "zod";
import { errors } from "./errors.ts";
import { archiveAt } from "./library/roots.ts";
import type { Skills } from "./load/skills.ts";

const sessionId = z.string();

/** The operations by which clients query a session's skills. */
export function operations(skills: () => Skills): {
  list_skills: OperationHandler<"list_skills">;
  get_skill: OperationHandler<"get_skill">;
  check_skills: OperationHandler<"check_skills">;
  report_skills: OperationHandler<"report_skills">;
  read_skills: OperationHandler<"read_skills">;
  preview_skills: OperationHandler<"preview_skills">;
  skill_sources: OperationHandler<"skill_sources">;
} {
  return {
    list_skills: { params: z.strictObject({ sessionId }), run: () => skills().ready() },
    get_skill: {
      params: z.strictObject({ sessionId, name: z.string() }),
      run: async ({ name }) => {
        const { skills: known } = await skills().ready();
        const skill = known.find((each) => each.name === name);
        if (!skill) throw errors.SKILL_UNKNOWN({ name, known: known.map((each) => each.name) });
        const { sizes: _, ...texts } = await (await import("./format/text.ts")).textsOf(skill);
        return { skill, ...texts };
      },
    },
    read_skills: {
      params: z.strictObject({ sessionId, path: z.string() }),
      run: async ({ path }) => {
        const { Library } = await import("./library/library.ts");
        return await new Library().look([{ source: "user", folder: path, files: path }], []);
      },
    },
    preview_skills: {
      params: z.strictObject({ sessionId, path: z.string(), instead: z.string().optional() }),
      run: ({ path, instead }) => skills().preview(path, instead),
    },
    skill_sources: {
      params: z.strictObject({ sessionId }),
      run: () => {
        const { ctx } = skills();
        const { roots, allowHosts } = ctx.config;
        const workspace = ctx.find("workspace");
        return { roots: workspace ? roots.flatMap((given) => archiveAt(given, workspace) ?? []) : [], allowHosts };
      },
    },
    check_skills: {
      params: z.strictObject({ sessionId, path: z.string().optional() }),
      run: async ({ path }) => ({ files: await (await import("./format/check.ts")).check(skills(), path) }),
    },
    report_skills: {
      params: z.strictObject({ sessionId, of: z.string().min(1).optional() }),
      run: async ({ of }, context) => (await import("./report/report-scope.ts")).report(skills(), of, context),
    },
  };
}
