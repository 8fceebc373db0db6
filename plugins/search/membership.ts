import type { SessionHeader } from "@scorel/kernel";
import type { ProjectBook, ProjectsService, SessionPlace } from "@scorel/projects/contract";
import { errors } from "./errors.ts";
import { headerOf, type Shelf } from "./logs.ts";

type Projects = () => ProjectsService | undefined;

/**
 * Returns a function that tests whether a session belongs to the named project; undefined without a name. Throws FIND_
 * and PROJECT_ errors.
 */
export async function membersOf(
  projects: Projects,
  shelf: Shelf,
  named: string | undefined,
  cwd: string,
): Promise<((sessionId: string) => boolean) | undefined> {
  if (named === undefined) return undefined;
  const book = await projects()?.book();
  if (!book) throw errors.FIND_NO_PROJECTS();
  const { projectId } = book.find(named, cwd);
  return (sessionId) => {
    const header = headerOf(shelf, sessionId);
    return header !== undefined && book.of(placeOf(header))?.projectId === projectId;
  };
}

/** Returns a function that names a session's project by its current directory. */
export async function projectNames(projects: Projects): Promise<(header: SessionHeader | undefined) => string> {
  const book: ProjectBook | undefined = await projects()?.book();
  return (header) => {
    if (!header) return "unknown";
    const place = placeOf(header);
    return book?.of(place)?.directory ?? place.root ?? place.cwd;
  };
}

function placeOf({ createdAt, meta }: SessionHeader): SessionPlace {
  const { cwd, root, projectId } = meta as Partial<Record<string, string>>;
  return { cwd: cwd ?? "unknown", createdAt, root, projectId };
}
