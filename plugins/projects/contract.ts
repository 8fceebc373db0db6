import type {} from "@scorel/host/contract";

/** A registered working directory. Its id stays the same wherever the directory goes. */
export interface Project {
  projectId: string;
  name: string;
  /** By its real path: the git root, where there is one. */
  directory: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}
/** What is known of a session's place: its header tells it. */
export interface SessionPlace {
  cwd: string;
  createdAt: number;
  root?: string | undefined;
  projectId?: string | undefined;
}
/** All projects, as they were when the book was opened. */
export interface ProjectBook {
  /** Those that were not removed, the latest registered last. */
  readonly projects: readonly Project[];
  /** By id or its beginning, by name, or by a directory in it (relative to `cwd`). Throws PROJECT_UNKNOWN and PROJECT_AMBIGUOUS. */
  find(named: string, cwd: string): Project;
  /** The project of a session, also of one from before there were projects; undefined where none is registered. */
  of(place: SessionPlace): Project | undefined;
  /** Where a session works now: its directory, moved as its project was. */
  cwdOf(place: SessionPlace): string;
}
export interface ProjectsService {
  /** The project of a directory; registered, or put back on the list, when it is not there. Throws PROJECT_FILE and HOST_ errors. */
  register(directory: string, name?: string): Promise<Project>;
  /** Throws PROJECT_FILE when the list is damaged. */
  book(): Promise<ProjectBook>;
}
/** A project as lists show it. */
export interface ListedProject extends Project {
  /** Whether the directory is there. */
  exists: boolean;
  sessions: number;
  /** The time of the last event in any of its sessions; absent when it has none. */
  updatedAt?: number;
}

declare module "@scorel/kernel" {
  interface Services {
    projects: ProjectsService;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /** Registers what sessions are in and was not registered yet, so that every session belongs to one. Latest used first. */
    list_projects: { params: Record<string, never>; result: { projects: ListedProject[] } };
    register_project: { params: { directory: string; name?: string }; result: { project: Project } };
    /** Takes a project off the list; its sessions stay, and the next new one puts it back under its old id. */
    remove_project: { params: { project: string }; result: { project: Project; text: string } };
    /**
     * Says where a project, or a directory that sessions work in, has gone: they follow, and what was registered there
     * meanwhile becomes part of it. `project`: an id, a name, or the directory as it was.
     */
    move_project: { params: { project: string; directory: string }; result: { project: Project; text: string } };
    /** The directories in one below home (default: home), without hidden ones and links: at most 1000, and whether there are more. */
    list_directories: {
      params: { directory?: string };
      result: { directory: string; parent: string | null; names: string[]; more: boolean };
    };
  }
}
