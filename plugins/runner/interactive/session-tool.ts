import type { Tool, ToolOutput } from "@scorel/tools/contract";
import type { RunRequest, RunResult, SessionAnswer, SessionRequest } from "../contract.ts";
import { detailsOf } from "./interactive-notices.ts";
import type { InteractiveRuns, Waiting } from "./interactive-runs.ts";

const flag = { type: "boolean" };

/** The tool `skill_session`, which talks to running programs. */
export function skillSession(runs: () => Promise<InteractiveRuns>): Tool<SessionRequest> {
  return {
    name: "skill_session",
    description: "Write a line to an interactive program of skill_run, poll or kill it.",
    advertised: {
      type: "object",
      properties: {
        session_id: { type: "string" },
        write: { type: "string" },
        close: { ...flag, description: "end its input" },
        kill: flag,
      },
      required: ["session_id"],
    },
    parameters: {
      type: "object",
      properties: {
        session_id: { type: "string" },
        write: { type: "string", description: "a line" },
        close: { ...flag, description: "end its input" },
        kill: flag,
        offset: { type: "integer", description: "reread from this byte" },
        yield_ms: { type: "integer", description: "wait at most, default 1000" },
      },
      required: ["session_id"],
      additionalProperties: false,
    },
    // Reading output or killing a program needs no question. Written text may be a command, so writing may need one.
    access: ({ write }) => (write === undefined ? "read" : "exclusive"),
    execute: async (_id, request, signal, onUpdate) => {
      const known = await runs();
      return output(await known.go(request, waiting(signal, onUpdate)), known.find(request.session_id));
    },
    display: ({ session_id, write, close, kill }, result) => ({
      display: "card",
      title: `skill_session ${session_id}${kill ? " kill" : write === undefined ? "" : ` < ${write}`}${close ? " close" : ""}`,
      status: result === undefined ? "running" : result.isError ? "error" : "done",
      text: shown(result),
    }),
  };
}

/** The options of a tool call for waiting: its signal, and its listener for the output so far. */
export function waiting(signal: AbortSignal | undefined, onUpdate: Parameters<Tool["execute"]>[3]): Waiting {
  return { signal, ...(onUpdate && { onText: (text) => onUpdate({ content: [{ type: "text", text }] }) }) };
}

/** The result of `skill_run` and `skill_session`, as JSON. */
export function output(answer: SessionAnswer, run: Pick<RunRequest, "skill" | "command">): ToolOutput {
  return { content: [{ type: "text", text: JSON.stringify(answer) }], details: detailsOf(answer, run) };
}

/** What people see of the result of an interactive program: its output and state. */
export function shown(result: ToolOutput | undefined): string {
  const { text, answer } = readAnswer<SessionAnswer>(result);
  if (!answer) return text;
  const { output, session_id, result: end, warnings = [] } = answer;
  const state = end ? endOf(end) : [`runs as ${session_id}`];
  return [output.replace(/\n$/, ""), `[${[...state, ...warnings].join("; ")}]`].filter(Boolean).join("\n");
}

/** What people see of the result of a program that was not interactive. */
export function shownRun(result: ToolOutput | undefined): string {
  const { text, answer } = readAnswer<RunResult>(result);
  if (!answer) return text;
  const said = [answer.stdout, answer.stderr].map((each) => each.replace(/\n$/, ""));
  return [...said, `[${endOf(answer).join("; ")}]`].filter(Boolean).join("\n");
}

/** Parses a result. Text that is not JSON (an error, a partial or cut result) is shown as is. */
function readAnswer<T>(result: ToolOutput | undefined): { text: string; answer?: T } {
  const text = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("") ?? "";
  if (result?.isError || !text.startsWith("{")) return { text };
  try {
    return { text, answer: JSON.parse(text) as T };
  } catch {
    return { text };
  }
}

function endOf({ exit_code, timed_out, output_files, warnings = [] }: RunResult): string[] {
  const why = timed_out
    ? "its time limit was reached"
    : warnings.find((each) => each.startsWith("the program was ended"));
  const files = output_files.map(({ name }) => name).join(", ");
  return [why ?? `exit code ${exit_code}`, ...(files === "" ? [] : [files])];
}
