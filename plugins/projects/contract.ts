import type { Page, PageParams } from "@scorel/host/contract";
import type { Project, ProjectBook, ProjectsService, SessionPlace } from "@scorel/workspace/contract";

export type { Project, ProjectBook, ProjectsService, SessionPlace };

/** A project as shown in lists. */
export interface ListedProject extends Project {
  /** Whether the directory exists. */
  exists: boolean;
  sessions: number;
  /** Time of the last event in its sessions, in milliseconds since 1970; absent if it has no sessions. */
  updatedAt?: number;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists projects, last used first. First registers the directories of sessions that have no project yet. */
    list_projects: { params: PageParams; result: { projects: ListedProject[] } & Page };
    /**
     * Like `list_projects`, for clients that may only read: registers nothing, and lists only projects of sessions that the client may see.
     */
    list_session_projects: { params: PageParams; result: { projects: ListedProject[] } & Page };
    register_project: { params: { directory: string; name?: string }; result: { project: Project } };
    /** Removes a project from the list. Its sessions stay; the next new session adds it again with the same id. */
    remove_project: { params: { project: string }; result: { project: Project; text: string } };
    /**
     * Records where a project, or a directory in it, has moved. Sessions follow; a project registered at the new place
     * is merged into this one. `project` is an id, a name or the old directory.
     */
    move_project: { params: { project: string; directory: string }; result: { project: Project; text: string } };
    /**
     * Lists the subdirectories of a directory below the `roots` that the user has set (default: the home directory), without hidden ones
     * and links; at most 1000. Without `directory`, lists the first root. `more` is true if there are others. `parent` is null if the
     * parent may not be listed.
     */
    list_directories: {
      params: { directory?: string };
      result: { directory: string; parent: string | null; roots: string[]; names: string[]; more: boolean };
    };
  }
}
