import { codeOf } from "@scorel/kit/values/coded-error";
import type { Client, Operations } from "../contract.ts";

/** A directory and, if it is known, the id of its project. Other values than strings are taken for unknown. */
interface ProjectPlace {
  cwd: string;
  projectId?: unknown;
}

/**
 * A page of the sessions of a directory's project, the latest first. If it belongs to no project, or the list of projects cannot be read,
 * they are those of the directory itself.
 */
export async function projectSessions(
  client: Pick<Client, "request">,
  { cwd, projectId }: ProjectPlace,
  params: Omit<Operations["list_sessions"]["params"], "cwd" | "project"> = {},
): Promise<Operations["list_sessions"]["result"]> {
  const project = typeof projectId === "string" ? projectId : cwd;
  try {
    return await client.request("list_sessions", { ...params, project });
  } catch (thrown) {
    if (!/^(PROJECT_|HOST_NO_PROJECTS$)/.test(codeOf(thrown))) throw thrown;
    return client.request("list_sessions", { ...params, cwd });
  }
}
