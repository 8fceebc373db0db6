import type {} from "@scorel/agent/contract";
import { codeOf, type Kernel, messageOf } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type { SessionGlance, ThinkingLevel } from "../contract.ts";
import { branchIn } from "./git-branch.ts";
import type { OpenSession } from "./open-session.ts";
import { spentIn } from "./spent.ts";

/** Returns the part of a session's status that clients can follow. Must be fast, since it is computed after each message. */
export function glanceOf({ kernel, workspace }: Pick<OpenSession, "kernel" | "workspace">): SessionGlance {
  const model = modelOf(kernel);
  const context = contextOf(kernel, model.window);
  const spent = spentIn(kernel.session);
  // Only a directory of this computer can be read synchronously.
  const branch = kernel.find("files")?.local === false ? undefined : branchIn(workspace.root);
  return {
    ...(model.name !== undefined && { model: model.name }),
    ...(model.foundBy !== undefined && { modelFoundBy: model.foundBy }),
    ...(model.error && { modelError: model.error }),
    ...(model.thinks === false && { thinks: false }),
    ...thinkingOf(kernel),
    ...permissionOf(kernel),
    ...(context && { context }),
    ...(spent && { spent }),
    ...(branch !== undefined && { branch }),
  };
}

interface KnownModel {
  name?: string;
  window?: number;
  thinks?: boolean;
  foundBy?: string | undefined;
  error?: { code: string; message: string };
}

function modelOf(kernel: Kernel): KnownModel {
  try {
    const service = kernel.find("model");
    if (!service) return {};
    const { provider, id, contextWindow: window, reasoning: thinks } = service.current();
    return { name: `${provider}/${id}`, window, thinks, foundBy: service.foundBy?.() };
  } catch (thrown) {
    return { error: { code: codeOf(thrown), message: messageOf(thrown) } };
  }
}

function thinkingOf(kernel: Kernel): Pick<SessionGlance, "thinking"> {
  const level = kernel.session.projection("sessionMeta").thinkingLevel ?? kernel.find("workspace")?.thinking;
  return level === undefined ? {} : { thinking: level as ThinkingLevel };
}

function permissionOf(kernel: Kernel): Pick<SessionGlance, "permission" | "permissionDefault"> {
  const permissions = kernel.find("permissions");
  return permissions ? { permission: permissions.mode, permissionDefault: permissions.defaultMode } : {};
}

/**
 * The size of the next request. Undefined without a model, or without messages: the first request is not known before its prompt is built.
 */
function contextOf(kernel: Kernel, window: number | undefined): SessionGlance["context"] {
  const agent = kernel.find("agent");
  if (window === undefined || kernel.session.activeLeaf === null || !agent?.contextTokens) return undefined;
  const tokens = agent.contextTokens();
  return { tokens, ...(window > 0 && { window, share: tokens / window }) };
}
