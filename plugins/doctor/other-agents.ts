import { join } from "node:path";
import { readText } from "@scorel/kit/files/open";
import { isTable } from "@scorel/kit/values/table";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding } from "./contract.ts";

/** Settings of Claude Code in a project. */
const SETTINGS = [".claude/settings.json", ".claude/settings.local.json"];

/** Reports rules and hooks of Claude Code, which do not hold in Scorel although other files beside them are used. */
export function checkOtherAgents({ cwd }: Pick<CheckContext, "cwd">): Part {
  return { findings: SETTINGS.flatMap((name) => aboutSettings(join(cwd, name))) };
}

function aboutSettings(where: string): Finding[] {
  const settings = readJson(where);
  const { deny, ask } = isTable(settings.permissions) ? settings.permissions : {};
  const rules = [deny, ask].flatMap((list) => (Array.isArray(list) ? list : [])).length;
  const hooks = isTable(settings.hooks) ? Object.keys(settings.hooks).length : 0;
  const parts = [
    counted(rules, "rule of deny or ask", "rules of deny or ask"),
    counted(hooks, "kind of hook", "kinds of hooks"),
  ];
  const has = parts.filter(Boolean).join(" and ");
  if (has === "") return [];
  return [
    {
      code: "OTHER_AGENT_SETTINGS",
      severity: "warning",
      what: `Claude Code has ${has} here, which do not hold in Scorel.`,
      where,
      doNext:
        "Write the rules into [permissions] of .scorel/config.toml, and the hooks as an extension: scorel plugin new <id>",
    },
  ];
}

function counted(count: number, one: string, many: string): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? one : many}`;
}

/** The table in a file; an empty one if it cannot be read, since it belongs to another program. */
function readJson(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readText(path));
    return isTable(value) ? value : {};
  } catch {
    return {};
  }
}
