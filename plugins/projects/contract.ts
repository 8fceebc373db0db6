import type {} from "@scorel/host/contract";

/** A registered working directory. Its id stays the same when the directory moves. */
export interface Project {
  projectId: string;
  name: string;
  /** Real path: the git root, or else the directory itself. */
  directory: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}
/** A session's directory and project, as its header records them. */
export interface SessionPlace {
  cwd: string;
  createdAt: number;
  root?: string | undefined;
  projectId?: string | undefined;
}
/** All projects at the time the book was opened. */
export interface ProjectBook {
  /** Projects that were not removed, in order of registration. */
  readonly projects: readonly Project[];
  /**
   * Finds a project by id or its beginning, by name, or by a directory in it (relative to `cwd`). Throws
   * PROJECT_UNKNOWN and PROJECT_AMBIGUOUS.
   */
  find(named: string, cwd: string): Project;
  /** Returns a session's project, even for sessions older than projects; undefined if none is registered. */
  of(place: SessionPlace): Project | undefined;
  /** Returns a session's current directory, which moves with its project. */
  cwdOf(place: SessionPlace): string;
}
export interface ProjectsService {
  /**
   * Returns a directory's project, registering it or putting it back on the list if necessary. Throws PROJECT_FILE and
   * HOST_ errors.
   */
  register(directory: string, name?: string): Promise<Project>;
  /** Opens the list of projects; throws PROJECT_FILE when it is damaged. */
  book(): Promise<ProjectBook>;
}
/** A project as shown in lists. */
export interface ListedProject extends Project {
  /** True when the directory exists. */
  exists: boolean;
  sessions: number;
  /** Time of the last event in its sessions; absent without sessions. */
  updatedAt?: number;
}

declare module "@scorel/kernel" {
  interface Services {
    projects: ProjectsService;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists projects, last used first. First registers the directories of sessions that have no project yet. */
    list_projects: { params: Record<string, never>; result: { projects: ListedProject[] } };
    register_project: { params: { directory: string; name?: string }; result: { project: Project } };
    /** Removes a project from the list. Its sessions stay, and the next new one puts it back with its old id. */
    remove_project: { params: { project: string }; result: { project: Project; text: string } };
    /**
     * Records where a project, or a directory in it, has moved. Sessions follow; a project registered at the new place
     * is merged into this one. `project` is an id, a name or the old directory.
     */
    move_project: { params: { project: string; directory: string }; result: { project: Project; text: string } };
    /**
     * Lists the directories inside one below home (default: home), without hidden ones and links; at most 1000. `more`
     * is true when there are others.
     */
    list_directories: {
      params: { directory?: string };
      result: { directory: string; parent: string | null; names: string[]; more: boolean };
    };
  }
}
