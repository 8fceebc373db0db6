import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { ProjectServices } from "./work.ts";

const text = z.string().min(1).max(4096);
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line");
/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;
const work = () => import("./work.ts");

/** Operations about projects and directories. */
export function operations(host: () => ProjectServices | undefined, roots: readonly string[]) {
  return {
    list_projects: {
      summary: "Lists projects, last used first.",
      size: "pages",
      params: () => z.strictObject({}),
      result: async () => (await results()).list_projects,
      run: async (_params, context) => (await work()).list(host(), context),
    },
    list_session_projects: {
      summary: "Lists the projects of the sessions that the client may see, last used first.",
      readOnly: true,
      confined: true,
      size: "pages",
      params: () => z.strictObject({}),
      result: async () => (await results()).list_session_projects,
      run: async (_params, context) => (await work()).listOfSessions(host(), context),
    },
    register_project: {
      summary: "Registers a directory as a project, or returns the project that it belongs to.",
      paths: { directory: "directory" },
      params: () => z.strictObject({ directory: text, name: name.optional() }),
      result: async () => (await results()).register_project,
      run: async (params) => (await work()).add(host(), params),
    },
    remove_project: {
      summary: "Removes a project from the list. Its sessions stay.",
      params: () => z.strictObject({ project: text }),
      result: async () => (await results()).remove_project,
      run: async (params) => (await work()).remove(host(), params),
    },
    move_project: {
      summary: "Records where a project, or a directory in it, has moved. Its sessions follow.",
      paths: { directory: "directory" },
      params: () => z.strictObject({ project: text, directory: text }),
      result: async () => (await results()).move_project,
      run: async (params, context) => (await work()).move(host(), params, context),
    },
    list_directories: {
      summary: "Lists the subdirectories of a directory below home or another root, to choose one.",
      readOnly: true,
      paths: { directory: "operation" },
      size: { bounded: "It returns at most 1,000 names, and says that there are more." },
      params: () => z.strictObject({ directory: text.optional() }),
      result: async () => (await results()).list_directories,
      run: async (params) => (await import("./directories.ts")).listDirectories(roots, params.directory),
    },
  } satisfies Contributions["operations"];
}
