import type { Awaitable, BaseContext } from "@scorel/kernel";
import { isVisible } from "@scorel/kit/text/plain";
import type { Access, Approval, Tool } from "./contract.ts";
import { errors } from "./errors.ts";

/** The most characters of a call's subject. */
const MOST_ABOUT = 500;

/**
 * What a tool declares about a call before it runs. If the tool declares nothing, or its function fails, the strictest
 * value applies.
 */
export interface Declared {
  /** What the call touches; `exclusive` if unknown. */
  access(params: unknown): Awaitable<Access>;
  /** What the call reads; undefined if unknown. */
  reads(params: unknown): Awaitable<readonly string[] | undefined>;
  /** How the call is approved; undefined if that follows from `access`, and `ask` if the tool's function fails. */
  approval(params: unknown): Awaitable<Approval | undefined>;
  /**
   * The text that rules about the call are compared with; null if unknown, and undefined if the tool has no `about`.
   */
  about(params: unknown): Awaitable<string | null | undefined>;
}

/**
 * Wraps the functions with which a tool declares its calls. If an extension's function fails or returns something invalid,
 * that is reported, and the declaration counts as unknown.
 */
export function declaredBy(ctx: BaseContext, plugin: string, tool: Tool): Declared {
  const { name } = tool;
  /** Calls the tool's function `part` on behalf of its plugin, and checks what it returns. */
  const asked = <T>(part: string, otherwise: T, work: () => Awaitable<unknown>, check: (answer: unknown) => T) =>
    ctx.attempt<Awaitable<T>>(
      {
        plugin,
        where: `${part} of tool ${name}`,
        otherwise: otherwise as Awaited<T>,
        containedOnly: true,
        staysOn: true,
      },
      () => {
        const answer = work();
        return answer instanceof Promise ? answer.then(check) : check(answer);
      },
    );
  const { approval } = tool;
  return {
    access: (params) =>
      asked<Access>(
        "access",
        "exclusive",
        () => tool.access?.(params) ?? "exclusive",
        (answer) => asAccess(name, answer),
      ),
    reads: (params) =>
      asked<readonly string[] | undefined>(
        "reads",
        undefined,
        () => tool.reads?.(params),
        (answer) => asReads(name, answer),
      ),
    approval: (params) =>
      asked<Approval | undefined>(
        "approval",
        "ask",
        () => (typeof approval === "function" ? approval.call(tool, params) : approval),
        (answer) => asApproval(name, answer),
      ),
    about: (params) =>
      tool.about &&
      asked<string | null>(
        "about",
        null,
        () => tool.about?.(params),
        (answer) => asAbout(name, answer),
      ),
  };
}

function asAccess(name: string, value: unknown): Access {
  const writes = (value as { writes?: unknown } | null | undefined)?.writes;
  if (value === "read" || value === "exclusive" || isTexts(writes)) return value as Access;
  throw errors.TOOL_ACCESS({ name });
}

function asReads(name: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || isTexts(value)) return value;
  throw errors.TOOL_READS({ name });
}

export const APPROVALS: readonly Approval[] = ["free", "ask", "always-ask"];

function asApproval(name: string, value: unknown): Approval | undefined {
  if (value === undefined || APPROVALS.includes(value as Approval)) return value as Approval | undefined;
  throw errors.TOOL_APPROVAL({ name });
}

/**
 * Accepts one line without invisible characters, since people read it in questions and rules. Returns null for other
 * text, which is not an error of the tool, because it may come from the model.
 */
function asAbout(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") throw errors.TOOL_ABOUT({ name });
  const isLine = value.trim() !== "" && !/[\r\n]/.test(value) && value.length <= MOST_ABOUT;
  return isLine && isVisible(value) ? value : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
