import type { Awaitable, Kernel } from "@scorel/kernel";
import type { z } from "zod";
import type { Operation, OperationContext, OperationHandler, SchemaSource } from "../contract.ts";
import { errors } from "../errors.ts";
import { newHeader } from "../sessions/new-session.ts";
import { canonicalDirectory, homeDirectory, projectRoot } from "../workspace.ts";
import { type Caller, openFor } from "./caller.ts";

/** An operation and the plugin that contributes it. */
export interface Contributed<O extends Operation> {
  plugin: string;
  /** The kernel in which the operation was found. */
  kernel: Kernel;
  /** Whether the plugin is an extension. */
  contained: boolean;
  handler: OperationHandler<O>;
}

/** Finds an operation that a plugin contributes. Searches host plugins first, so that no session is opened without need. */
export async function findContributed<O extends Operation>(
  operation: O,
  params: unknown,
  caller: Caller,
): Promise<Contributed<O> | undefined> {
  const known = contributed(caller.sessions.parent, operation);
  if (known) return known;
  const { sessionId } = Object(params) as { sessionId?: unknown };
  if (sessionId === undefined) return undefined;
  if (typeof sessionId !== "string")
    throw errors.HOST_PARAMS_INVALID({ operation, problems: "sessionId: it must be a text" });
  if (caller.access.limited) await caller.access.assertSession(sessionId);
  const { kernel } = await openFor({ sessionId: caller.sessions.resolve(sessionId) }, caller);
  return contributed(kernel, operation);
}

/** Finds an operation. If two plugins have the same one, the later plugin's is used. */
function contributed<O extends Operation>(kernel: Kernel, operation: O): Contributed<O> | undefined {
  return allContributed(kernel).get(operation) as Contributed<O> | undefined;
}

type Table = ReadonlyMap<string, Contributed<Operation>>;
/** The cached operations of each kernel. Cleared when they change. */
const tables = new WeakMap<Kernel, { current: Table | undefined }>();

/** Returns the valid operations of the plugins of a kernel and its parent, by name. */
export function allContributed(kernel: Kernel): Table {
  const known = tables.get(kernel) ?? rememberFor(kernel);
  if (known.current) return known.current;
  let isComplete = true;
  const table = collectFrom(kernel, () => {
    isComplete = false;
  });
  // If a plugin's contribution failed, nothing is cached, so that it is collected again next time.
  if (isComplete) known.current = table;
  return table;
}

function rememberFor(kernel: Kernel): { current: Table | undefined } {
  const known: { current: Table | undefined } = { current: undefined };
  tables.set(kernel, known);
  kernel.onContributed("operations", () => {
    known.current = undefined;
  });
  return known;
}

function collectFrom(kernel: Kernel, failed: () => void): Table {
  const rows = kernel.collect("operations", usableOperations, failed).flatMap(({ plugin, value, contained = false }) =>
    Object.entries(value).map(([name, handler]) => {
      return [name, { plugin, kernel, contained, handler: handler as OperationHandler<Operation> }] as const;
    }),
  );
  return new Map(rows);
}

/** Removes and reports invalid handlers, so that they do not hide other plugins' valid ones. */
function usableOperations(value: unknown, _plugin: string, report: (flaw: unknown) => void): object {
  if (typeof value !== "object" || value === null) throw errors.HOST_OPERATIONS({});
  const usable = Object.entries(value).filter(([operation, handler]) => {
    const { params, run } = Object(handler) as { params?: unknown; run?: unknown };
    const isHandler = isName(operation) && isSchemaSource(params) && typeof run === "function";
    if (!isHandler) report(errors.HOST_OPERATIONS({ operation }));
    return isHandler;
  });
  return Object.fromEntries(usable);
}

/** Whether a name is valid: one word such as `list_sessions`, and not a property of every JavaScript object. */
function isName(operation: string): boolean {
  return /^[A-Za-z][\w.:-]{0,99}$/.test(operation) && !(operation in Object.prototype) && !scopeWords.has(operation);
}

/** Words with a special meaning in a scope, which cannot be names of operations. */
const scopeWords: ReadonlySet<string> = new Set(["read", "subscribe", "watch_sessions"]);

function isSchemaSource(value: unknown): boolean {
  return typeof value === "function" || typeof (Object(value) as { safeParse?: unknown }).safeParse === "function";
}

const created = new WeakMap<object, z.ZodType>();

/** Returns the schema. If `source` is a function, it is called only once. */
export async function schemaFrom<T>(source: SchemaSource<T>): Promise<z.ZodType<T>> {
  if (typeof source !== "function") return source;
  const schema = created.get(source) ?? (await source());
  created.set(source, schema);
  return schema as z.ZodType<T>;
}

/**
 * Creates the context for the handler of a contributed operation. `signal` aborts when nobody waits for the result any more; `onlyReads`
 * tells whether an operation is known to change nothing.
 */
export function contextOf(
  caller: Caller,
  signal: AbortSignal,
  onlyReads: (operation: string) => boolean,
): OperationContext {
  const { access, clientId, sessions, request } = caller;
  /** Calls `work` with the complete id of a session. Throws HOST_FORBIDDEN if the client may not use it. */
  async function using<R>(sessionId: string, work: (id: string) => Awaitable<R>): Promise<R> {
    await access.assertSession(sessionId);
    return work(sessions.resolve(sessionId));
  }
  return {
    clientId,
    sessionsDir: sessions.shelf.directory,
    logs: sessions.shelf.logs,
    resolve: (prefix) => sessions.resolve(prefix),
    assertSession: (sessionId) => access.assertSession(sessionId),
    assertPath: async (sessionId, path) => access.assertPath(sessions.resolve(sessionId), path),
    assertOperations: (operations, what) => access.assertOperations(operations, what, onlyReads),
    open: (sessionId) => using(sessionId, (id) => openFor({ sessionId: id }, caller)),
    look: (sessionId, work) => using(sessionId, (id) => sessions.withReadOnly(id, work)),
    others: async (sessionId) => {
      await access.assertSession(sessionId);
      return sessions.present(sessionId).filter((each) => each.clientId !== clientId);
    },
    alone: (sessionId, work, reason) =>
      access.assertSession(sessionId).then(() => sessions.alone(sessionId, work, reason)),
    announce: (sessionId) => sessions.announce(sessionId, "created"),
    newHeader: (cwd) => ({ ...newHeader(sessions.shelf.logs.version), meta: placeOf(canonicalDirectory(cwd)) }),
    importable: (cwd) => sessions.importable(cwd),
    left: (sessionId) => caller.held.get(sessionId)?.signal ?? AbortSignal.abort(),
    request: (operation, params, own = signal) => request(operation, params, own),
    signal,
  };
}

function placeOf(cwd: string): { cwd: string; root: string } {
  return { cwd, root: projectRoot(cwd, homeDirectory()) };
}
