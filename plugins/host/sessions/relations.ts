import type { Kernel, SessionHeader } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { ParentSession, PluginChoice, Workspace } from "@scorel/workspace/contract";
import type { Relation, SessionHandle } from "../contract.ts";
import { errors } from "../errors.ts";

/** What a session inherits from its parent at its creation. Stored, so that it also applies when the parent is closed or deleted. */
export interface Inherited {
  /** The project folder that the parent may read, if any. */
  trusted?: string;
  /** The folders of nested skills that the parent may read, if any. */
  nested?: readonly string[];
  /** The folders in which the parent may change files. */
  folders: readonly string[];
  /** Limits of the parent's plugins, by plugin id. */
  limits: Readonly<Record<string, unknown>>;
}
/** The fields of a session's header about its preset and its parent. */
export interface Related extends Relation {
  inherited?: Inherited;
}

/** Maximum characters of the plugins' data, as JSON. */
const MOST_DATA = 65_536;

/** Returns the fields of a header about the session's preset and parent. */
export function relatedIn({ meta }: Pick<SessionHeader, "meta">): Related {
  const { preset, parent, kind, data, inherited } = meta as Related;
  return {
    ...(preset !== undefined && { preset }),
    ...(parent !== undefined && { parent }),
    ...(kind !== undefined && { kind }),
    ...(data !== undefined && { data }),
    ...(inherited !== undefined && { inherited }),
  };
}

/** Returns these fields for a new session. Throws HOST_DATA, HOST_PARENT_CLOSED, HOST_CHILD_LIMITS and HOST_CHILD_FOLDER. */
export function newRelation(
  { preset, parent, kind, data }: Relation,
  root: string,
  find: (id: string) => SessionHandle | undefined,
): Related {
  const length = data === undefined ? 0 : JSON.stringify(data).length;
  if (length > MOST_DATA) throw errors.HOST_DATA({ length, max: MOST_DATA });
  const own = { ...(kind !== undefined && { kind }), ...(data !== undefined && { data }) };
  if (parent === undefined) return { ...own, ...(preset !== undefined && { preset }) };
  const session = find(parent.sessionId);
  if (!session) throw errors.HOST_PARENT_CLOSED({ sessionId: parent.sessionId });
  const inherited = inheritedFrom(session);
  assertInside([root], inherited);
  // Without its own preset, the child gets its parent's.
  const named = preset ?? relatedIn(session.kernel.session.header).preset;
  return { ...own, ...(named !== undefined && { preset: named }), parent, inherited };
}

function inheritedFrom({ kernel, workspace }: SessionHandle): Inherited {
  const failed = new Set<string>();
  const limits = JSON.parse(JSON.stringify(limitsIn(kernel, failed))) as Inherited["limits"];
  // Without a plugin's limits the child might do more than its parent.
  if (failed.size > 0) throw errors.HOST_CHILD_LIMITS({ plugins: [...failed] });
  const { trusted, nestedSkills, root, allowWrite } = workspace;
  return {
    ...(trusted !== undefined && { trusted }),
    ...(nestedSkills && { nested: nestedSkills.folders }),
    folders: [root, ...allowWrite],
    limits,
  };
}

/** The limits that a session's plugins set for children, by plugin id. Adds the plugins that failed to state theirs to `failed`. */
function limitsIn(kernel: Kernel, failed: Set<string>): Record<string, unknown> {
  const all = kernel.collect("childLimits", undefined, (plugin) => void failed.add(plugin));
  return Object.fromEntries(all.map(({ plugin, value }) => [plugin, value]));
}

/** Throws HOST_CHILD_FOLDER unless the parent may change files in these folders. */
export function assertInside(wanted: readonly string[], { folders }: Inherited): void {
  const outside = wanted.find((path) => !folders.some((folder) => isWithin(folder, path)));
  if (outside !== undefined) throw errors.HOST_CHILD_FOLDER({ folder: outside, folders });
}

/** Throws HOST_CHILD_PLUGINS if a plugin is missing that has to enforce inherited limits. */
export function assertLimited(plugins: readonly string[], { preset, inherited }: Related): void {
  const needed = Object.entries(inherited?.limits ?? {}).filter(([, limit]) => Object(limit).optional !== true);
  const missing = needed.map(([id]) => id).filter((id) => !plugins.includes(id));
  if (missing.length > 0) throw errors.HOST_CHILD_PLUGINS({ preset, missing });
}

/** Which plugins the session gets: those of its preset, and those of the project only if its parent may read them. */
export function pluginChoice({ preset, inherited }: Related): PluginChoice {
  return {
    ...(preset !== undefined && { preset }),
    ...(inherited && { project: inherited.trusted ?? null, nested: inherited.nested ?? [] }),
  };
}

/** The parent, in the form that plugins of the child see. For a copy of a child, it has limits but no session id. */
export function parentOf(
  { parent, inherited }: Related,
  find: (id: string) => SessionHandle | undefined,
): Pick<Workspace, "parent"> {
  if (!inherited) return {};
  const view: ParentSession = {
    ...parent,
    limits(plugin) {
      const open = parent && find(parent.sessionId);
      if (!open) return { atStart: inherited.limits[plugin] };
      const failed = new Set<string>();
      const now = limitsIn(open.kernel, failed)[plugin];
      if (failed.has(plugin)) throw errors.HOST_CHILD_LIMITS({ plugins: [plugin] });
      return { atStart: inherited.limits[plugin], now };
    },
  };
  return { parent: view };
}
