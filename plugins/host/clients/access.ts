import { codeOf, type SessionHeader } from "@scorel/kernel";
import { deedOf } from "@scorel/kit/text/deed";
import type { SessionOption, SessionPlace } from "@scorel/workspace/contract";
import { z } from "zod";
import type { ClientScope, PathReach, SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import { bookOf, placeOf } from "../places.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { problemsOf } from "./params.ts";
import { directoryFlaw, isInProject, projectAround } from "./path-rules.ts";

/** The properties of an operation that decide which limited clients may use it. */
export interface Reach {
  readOnly?: boolean | undefined;
  confined?: boolean | undefined;
  checksOperations?: boolean | undefined;
  paths?: Readonly<Record<string, PathReach>> | undefined;
}

/** A preset widens what a new session may do, unless the session has a parent, whose limits then apply as well. */
const OTHER_PRESET: SessionOption = { key: "preset", kind: "text", widens: true };

function widens({ widens }: SessionOption, value: unknown): boolean {
  if (widens === undefined || value === undefined || value === false) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  return widens === true || [value].flat().some((each) => widens.includes(each as string));
}

/** Decides what a client may do, according to the scope of its connection. */
export class Access {
  private readonly scope: ClientScope;
  private readonly sessions: Sessions;
  /** Ids of the sessions in the scope, and of those that the client has created. */
  private readonly ids: Set<string>;

  constructor(scope: ClientScope | undefined, sessions: Sessions) {
    this.scope = scope === undefined ? {} : checkedScope(scope);
    this.sessions = sessions;
    this.ids = new Set(this.scope.sessions);
  }

  /** Whether the scope restricts the client in any way. */
  get limited(): boolean {
    return this.confined || (this.scope.operations ?? "all") !== "all" || this.options !== "all";
  }

  /** Whether the client may use only some sessions. */
  get confined(): boolean {
    return this.scope.sessions !== undefined || this.scope.projects !== undefined;
  }

  /** Whether the client may answer questions, if it may use the session. */
  get mayAnswer(): boolean {
    const { operations = "all" } = this.scope;
    return operations === "all" || (operations !== "read" && operations.includes("answer_request"));
  }

  /** The operations that the client may call, by name. */
  get operations(): "all" | readonly string[] {
    const { operations = "all" } = this.scope;
    return operations === "read" ? [] : operations;
  }

  private get options(): "all" | readonly string[] {
    const { operations = "all", options = operations === "all" ? "all" : [] } = this.scope;
    return options;
  }

  /** Throws HOST_FORBIDDEN for an option that lets a session do more than its configuration, unless the scope includes it. */
  assertOptions(operation: string, given: object, known: readonly SessionOption[]): void {
    const { options } = this;
    if (options === "all") return;
    const values = given as Readonly<Record<string, unknown>>;
    const wider = [...known, ...(values.parent === undefined ? [OTHER_PRESET] : [])].find(
      (row) => !options.includes(row.key) && widens(row, values[row.key]),
    );
    if (!wider) return;
    const value = JSON.stringify(values[wider.key]);
    const reason = `its connection does not include the option "${wider.key}" with the value ${value}, which may let the session do more`;
    throw errors.HOST_FORBIDDEN({ operation, reason });
  }

  /** Whether the client may use an operation at all. */
  includes(operation: string, reach: Reach, params?: object): boolean {
    return this.refusal(operation, reach, params) === undefined;
  }

  /** Throws HOST_FORBIDDEN unless the scope includes the operation and the session in its params. */
  async assertOperation(operation: string, reach: Reach, params: object): Promise<void> {
    const reason = this.refusal(operation, reach, params);
    if (reason !== undefined) throw errors.HOST_FORBIDDEN({ operation, reason });
    const { sessionId } = params as { sessionId?: string };
    if (this.confined && sessionId !== undefined) await this.assertSession(sessionId);
  }

  /**
   * Throws HOST_FORBIDDEN unless the client may use all of these operations; `"all"` means every operation in every session. `onlyReads`
   * tells whether an operation is known to change nothing.
   */
  assertOperations(needed: "all" | readonly string[], what: string, onlyReads: (operation: string) => boolean): void {
    const { operations = "all" } = this.scope;
    if (operations === "all" && !(needed === "all" && this.confined)) return;
    const allowed = typeof operations === "string" ? [operations] : operations;
    const includes = (each: string) => allowed.includes(each) || (allowed.includes("read") && onlyReads(each));
    const missing = needed === "all" ? "all" : needed.find((each) => !includes(each));
    if (missing === undefined) return;
    const reason =
      missing === "all"
        ? `only clients that may use all operations in all sessions may run ${what}`
        : `that needs a connection that may ${deedOf(missing) ?? `use the operation "${missing}"`}`;
    throw errors.HOST_FORBIDDEN({ operation: what, reason });
  }

  /** Throws HOST_FORBIDDEN unless the client may use this session; without an id, unless it may use all sessions. */
  async assertSession(idOrPrefix?: string): Promise<void> {
    if (!this.confined) return;
    if (idOrPrefix === undefined)
      throw errors.HOST_FORBIDDEN({ reason: "its connection is limited to certain sessions" });
    // The same error for unknown sessions and for prefixes of ids, so that it reveals nothing about other sessions.
    if (!(await this.includesSession(idOrPrefix)))
      throw errors.HOST_FORBIDDEN({ reason: `its connection does not include session ${idOrPrefix}` });
  }

  /** Throws HOST_FORBIDDEN unless a limited client may name the paths in the params of an operation. */
  async assertPaths(paths: Readonly<Record<string, PathReach>> = {}, params: object): Promise<void> {
    if (!this.limited) return;
    const { sessionId } = params as { sessionId?: string };
    for (const [key, reach] of Object.entries(paths))
      for (const path of textsAt(params, key.split("."))) {
        if (reach === "operation") continue;
        if (reach === "directory") await this.assertDirectory(path);
        else if (reach === "project" && sessionId !== undefined) await this.assertPath(sessionId, path);
        else throw errors.HOST_FORBIDDEN({ reason: `only clients that may do everything may name a path as "${key}"` });
      }
  }

  /** Throws HOST_FORBIDDEN unless the client may use a path of this computer for a session, whether it exists or not. */
  async assertPath(idOrPrefix: string, path: string): Promise<void> {
    if (!this.limited) return;
    await this.assertSession(idOrPrefix);
    const { meta } = (await this.sessions.header(this.sessions.resolve(idOrPrefix))) ?? {};
    const { cwd, root = cwd } = (meta ?? {}) as { cwd?: string; root?: string };
    if (root === undefined || !isInProject(root, path))
      throw errors.HOST_FORBIDDEN({
        reason: `its connection includes only the project of the session, without hidden folders, not ${path}`,
      });
  }

  /**
   * Throws HOST_FORBIDDEN unless the client may create sessions in a directory, whether it exists or not. A model reads and edits the
   * files of a project without asking, so a limited client that could choose any directory could access every file of the user.
   */
  async assertDirectory(directory: string): Promise<void> {
    if (!this.limited) return;
    const around = projectAround(directory);
    const { value: book } = await bookOf(this.sessions.parent);
    const project = around && book?.projects.find((each) => each.directory === around.root);
    if (this.confined && !this.scope.projects?.includes(project?.projectId ?? ""))
      throw errors.HOST_FORBIDDEN({ reason: `its connection does not include the project of ${directory}` });
    const reason = directoryFlaw(around, project !== undefined);
    if (reason !== undefined) throw errors.HOST_FORBIDDEN({ reason: `${reason} (${directory})` });
  }

  /** Returns the sessions that the client may use. */
  async visible(summaries: readonly SessionSummary[]): Promise<SessionSummary[]> {
    if (!this.confined) return [...summaries];
    const { value: book } = await bookOf(this.sessions.parent);
    const { projects = [] } = this.scope;
    const isIn = (place: SessionPlace) => projects.includes(book?.of(place)?.projectId ?? "");
    return summaries.filter((summary) => this.ids.has(summary.sessionId) || isIn(summary));
  }

  /** Lets the client use a session that it has created. */
  adopt(sessionId: string): void {
    this.ids.add(sessionId);
  }

  private async includesSession(idOrPrefix: string): Promise<boolean> {
    try {
      const id = this.sessions.resolve(idOrPrefix);
      if (this.ids.has(id)) return true;
      return this.scope.projects !== undefined && (await this.ofProjects(await this.sessions.header(id)));
    } catch (thrown) {
      if (["SESSION_UNKNOWN", "SESSION_AMBIGUOUS"].includes(codeOf(thrown))) return false;
      throw thrown;
    }
  }

  private async ofProjects(header: SessionHeader): Promise<boolean> {
    const { cwd = "" } = header.meta as { cwd?: string };
    const { value: book } = await bookOf(this.sessions.parent);
    const project = book?.of(placeOf(header, cwd));
    return project !== undefined && (this.scope.projects ?? []).includes(project.projectId);
  }

  private refusal(
    operation: string,
    { readOnly, confined, checksOperations }: Reach,
    params: object = {},
  ): string | undefined {
    const { operations = "all" } = this.scope;
    const canOnlyRead = readOnly || checksOperations;
    if (operations === "read" && !canOnlyRead) return "its connection may only read";
    const reads = canOnlyRead && operations.includes("read");
    if (typeof operations === "object" && !operations.includes(operation) && !reads)
      return "its connection does not include that";
    if (this.confined && !confined && !("sessionId" in params))
      return "it is not about a single session, and the connection is limited to certain sessions";
    return undefined;
  }
}

/** All strings at a path of keys in params. Lists on the path contribute the strings of each of their items. */
function textsAt(value: unknown, [key, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => textsAt(each, key === undefined ? [] : [key, ...rest]));
  if (key !== undefined)
    return value === null || typeof value !== "object" ? [] : textsAt(Reflect.get(value, key), rest);
  return typeof value === "string" ? [value] : [];
}

/** Returns a copy of a valid scope, so that changing the given object has no effect. Throws HOST_SCOPE_INVALID. */
function checkedScope(scope: ClientScope): ClientScope {
  const names = z.array(z.string());
  const schema = z.strictObject({
    operations: z.union([z.enum(["all", "read"]), names]).optional(),
    options: z.union([z.literal("all"), names]).optional(),
    sessions: names.optional(),
    projects: names.optional(),
  });
  const checked = schema.safeParse(scope, { jitless: true });
  if (!checked.success) throw errors.HOST_SCOPE_INVALID({ problems: problemsOf(checked.error, "scope") });
  return checked.data;
}
