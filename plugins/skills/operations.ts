import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import { archiveAt } from "./library/roots.ts";
import type { Skills } from "./load/skills.ts";

const sessionId = z.string();

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations by which clients query a session's skills. */
export function operations(skills: () => Skills) {
  return {
    list_skills: {
      summary: "Searches for the skills of an open session and lists them.",
      readOnly: true,
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).list_skills,
      run: () => skills().ready(),
    },
    get_skill: {
      summary: "Returns a skill with its text and the paths of its docs.",
      readOnly: true,
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId, name: z.string() }),
      result: async () => (await results()).get_skill,
      run: async ({ name }) => {
        const { skills: known } = await skills().ready();
        const skill = known.find((each) => each.name === name);
        if (!skill) throw skills().missing(name, known);
        const { sizes: _, ...texts } = await (await import("./format/text.ts")).textsOf(skill);
        return { skill, ...texts };
      },
    },
    read_skills: {
      summary: "Returns the skills in a folder of the host, as if it were a root.",
      readOnly: true,
      paths: { path: "project" },
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId, path: z.string() }),
      result: async () => (await results()).read_skills,
      run: async ({ path }) => {
        const { Library } = await import("./library/library.ts");
        return await new Library().look([{ source: "user", folder: path, files: path }], []);
      },
    },
    preview_skills: {
      summary: "Returns what `list_skills` would return if the skills in a folder were added to the store.",
      readOnly: true,
      paths: { path: "project", instead: "project" },
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId, path: z.string(), instead: z.string().optional() }),
      result: async () => (await results()).preview_skills,
      run: ({ path, instead }) => skills().preview(path, instead),
    },
    skill_sources: {
      summary: "Returns the archives in a session's configuration, and the hosts that may be contacted for them.",
      readOnly: true,
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).skill_sources,
      run: () => {
        const { ctx } = skills();
        const { roots, allowHosts } = ctx.config;
        const workspace = ctx.find("workspace");
        return { roots: workspace ? roots.flatMap((given) => archiveAt(given, workspace) ?? []) : [], allowHosts };
      },
    },
    check_skills: {
      summary: "Checks skills against the open format.",
      readOnly: true,
      paths: { path: "project" },
      size: { bounded: "It grows with what is installed." },
      params: () => z.strictObject({ sessionId, path: z.string().optional() }),
      result: async () => (await results()).check_skills,
      run: async ({ path }) => ({ files: await (await import("./format/check.ts")).check(skills(), path) }),
    },
    report_skills: {
      summary: "Reports from the logs how skills were used.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId, of: z.string().min(1).optional() }),
      result: async () => (await results()).report_skills,
      run: async ({ of }, context) => (await import("./report/report-scope.ts")).report(skills(), of, context),
    },
  } satisfies Contributions["operations"];
}
