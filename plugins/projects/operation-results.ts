import { z } from "zod";

const listedProject = z.strictObject({
  exists: z.boolean(),
  sessions: z.number(),
  updatedAt: z.number().optional(),
  projectId: z.string(),
  name: z.string(),
  directory: z.string(),
  createdAt: z.number(),
});
const project = z.strictObject({
  projectId: z.string(),
  name: z.string(),
  directory: z.string(),
  createdAt: z.number(),
});

/** The schemas of what the operations return. */
export const results = {
  list_projects: z.strictObject({ projects: z.array(listedProject) }),
  list_session_projects: z.strictObject({ projects: z.array(listedProject) }),
  register_project: z.strictObject({ project }),
  remove_project: z.strictObject({ project, text: z.string() }),
  move_project: z.strictObject({ project, text: z.string() }),
  list_directories: z.strictObject({
    directory: z.string(),
    parent: z.string().nullable(),
    roots: z.array(z.string()),
    names: z.array(z.string()),
    more: z.boolean(),
  }),
};
