import type { ProjectionDefinition, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import type { Todo } from "./contract.ts";
import { textOf } from "./display.ts";
import { errors } from "./errors.ts";
import { answer, answering } from "./result.ts";

const parameters = z.object({
  todos: z.array(z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) })),
});
type Params = z.output<typeof parameters>;

/** The tool TodoWrite, which stores the model's todo list. */
export function createTodoWrite(): Tool<Params> {
  return {
    name: "TodoWrite",
    description: "Store your whole list of steps for longer work, at most one in progress. All completed clears it.",
    parameters,
    // Not a real file: declaring the write makes two calls in one batch run in order.
    access: () => ({ writes: ["todos"] }),
    execute: (_id, params, signal) => answering(signal, async () => store(params.todos)),
    display: ({ todos }, result) => ({
      display: "list",
      title: "Todos",
      items: todos.map(({ content, status }) => ({ text: content, state: STATES[status] })),
      text: result?.isError ? textOf(result) : todos.map(lineOf).join("\n"),
    }),
  };
}

/** The todo list as last written on this path. */
export const todos: ProjectionDefinition<readonly Todo[]> = {
  over: "path",
  reads: [{ type: "message", containing: '"TodoWrite"' }],
  init: () => [],
  update(state, event: StoredEvent & { message?: ScorelMessage }) {
    const message = event.type === "message" ? event.message : undefined;
    if (message?.role !== "tool_result" || message.toolName !== "TodoWrite" || message.isError) return state;
    const list = (message.details as { todos?: unknown } | undefined)?.todos;
    return Array.isArray(list) ? (list as Todo[]) : state;
  },
};

const STATES = { pending: "open", in_progress: "active", completed: "done" } as const;
const MARKS = { pending: "[ ]", in_progress: "[~]", completed: "[x]" } as const;

function lineOf({ content, status }: Todo): string {
  return `${MARKS[status]} ${content}`;
}

function store(list: readonly Todo[]): ToolOutput {
  const active = list.filter(({ status }) => status === "in_progress").length;
  if (active > 1) throw errors.TODO_INVALID({ reason: `${active} items are in progress, and only one may be` });
  const empty = list.findIndex(({ content }) => content.trim() === "");
  if (empty >= 0) throw errors.TODO_INVALID({ reason: `item ${empty + 1} has no content` });
  const completed = list.filter(({ status }) => status === "completed").length;
  if (completed === list.length)
    return answer(list.length > 0 ? "All done; the list is empty now." : "The list is empty.", { todos: [] });
  return answer(`Stored ${list.length} items: ${completed} completed, ${active} in progress.`, { todos: list });
}
