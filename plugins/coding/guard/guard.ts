import type { ToolCallApproval, ToolCallVerdict } from "@scorel/agent/contract";
import type { BaseContext, DisplayAction, ScorelError } from "@scorel/kernel";
import { visibleText } from "@scorel/kit/text/plain";
import type { Question } from "@scorel/requests/contract";
import type { Environment } from "../environment.ts";
import { locate, type Place } from "../files/paths.ts";
import { writeRefusal } from "./control-paths.ts";

const WRITERS = new Set(["Write", "Edit"]);

interface Target {
  file_path?: unknown;
  content?: string;
  old_string?: string;
  new_string?: string;
}

/**
 * Refuses a Write or Edit that would change files that control the agent or git, or files outside of the project, unless a
 * person approves this call. No mode or rule can approve it.
 */
export async function guardWrites(
  { toolCall, args, refused }: ToolCallApproval,
  signal: AbortSignal | undefined,
  env: Environment,
  ctx: BaseContext,
): Promise<ToolCallVerdict | undefined> {
  const target = (args ?? {}) as Target;
  if (refused || !WRITERS.has(toolCall.name) || typeof target.file_path !== "string") return undefined;
  const place = await locate(target.file_path, env);
  const refusal = await writeRefusal(place, env);
  if (!refusal) return undefined;
  const requests = ctx.find("requests");
  if (!requests?.attended) return { block: true, reason: refusal.message };
  const { answer, reason } = await requests.ask(questionAbout(toolCall.name, place, target, refusal), { signal });
  if (answer === null) return { block: true, reason: refusal.message };
  if (answer !== "y") return { block: true, reason: `Denied: the user said no${reason ? `: ${reason}` : ""}.` };
  env.confirmed.set(toolCall.id, place.path);
  return undefined;
}

function questionAbout(tool: string, { path, shown }: Place, target: Target, { code }: ScorelError): Question {
  const why = code === "PATH_CONTROL" ? "controls the agent or git" : "is outside of the project";
  return {
    kind: "select",
    title: visibleText(`${tool}: ${path} ${why}. Write it anyway?`),
    body: [change(shown, target)],
    options: [
      { value: "y", label: "yes, this once" },
      { value: "n", label: "no (you can add a reason)" },
    ],
  };
}

/** The change exactly as the call states it. */
function change(shown: string, { content, old_string, new_string = "" }: Target): DisplayAction {
  const lines = (sign: string, text: string) => text.split("\n").map((line) => sign + line);
  const text = [...(content === undefined ? lines("-", old_string ?? "") : []), ...lines("+", content ?? new_string)];
  return { display: "diff", path: visibleText(shown), text: visibleText(text.join("\n")) };
}
