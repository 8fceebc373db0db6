import type { ApiName } from "../../model-server.ts";

type Row = Record<string, any>;

/** The reasons why a provider would refuse the conversation of a request; empty if it is valid. */
export function complaints(api: ApiName, body: any): string[] {
  const steps = stepsOf[api](body);
  const found: string[] = [];
  let open: string[] = [];
  for (const [at, step] of steps.entries()) {
    if (step.results.length > 0) {
      const missing = open.filter((id) => !step.results.includes(id));
      const orphans = step.results.filter((id) => !open.includes(id));
      if (orphans.length > 0) found.push(`step ${at}: results of no call: ${orphans}`);
      open = missing;
    }
    if (step.results.length === 0 && open.length > 0) found.push(`step ${at}: calls without results: ${open}`);
    if (step.calls.length > 0) open = [...step.calls];
    if (new Set(step.calls).size < step.calls.length) found.push(`step ${at}: a call id twice`);
    for (const id of step.calls) if (!/^[\w|-]{1,128}$/.test(id)) found.push(`step ${at}: the call id ${id}`);
    if (step.empty) found.push(`step ${at}: nothing in it`);
  }
  if (steps.length === 0 || steps[0]?.who === "assistant") found.push("it does not begin with the user");
  return found;
}

interface Step {
  who: string;
  calls: string[];
  results: string[];
  empty: boolean;
}
const step = (who: string, more: Partial<Step> = {}): Step => ({ who, calls: [], results: [], empty: false, ...more });

/** The steps of a request, with adjacent items that the API treats as one message joined. */
const stepsOf: Record<ApiName, (body: any) => Step[]> = {
  "openai-completions": ({ messages }) =>
    messages
      .filter(({ role }: Row) => role !== "system" && role !== "developer")
      .map((message: Row) =>
        step(message.role, {
          calls: (message.tool_calls ?? []).map(({ id }: Row) => id),
          results: message.role === "tool" ? [message.tool_call_id] : [],
          empty: !message.tool_calls && (message.content ?? "").length === 0 && message.role !== "tool",
        }),
      ),
  "openai-responses": ({ input }) => {
    const calls = joined(input.filter(({ role }: Row) => role !== "system" && role !== "developer"));
    return calls;
  },
  "anthropic-messages": ({ messages }) =>
    messages.map(({ role, content }: Row) => {
      const blocks: Row[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return step(role, {
        calls: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
        results: blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id),
        empty: blocks.length === 0 || blocks.some((block) => block.type === "text" && block.text === ""),
      });
    }),
  "google-generative-ai": ({ contents }) =>
    contents.map(({ role, parts }: Row) => {
      const names = (key: string) => parts.flatMap((part: Row) => (part[key] ? [part[key].name] : []));
      // This API identifies calls by their order and name.
      return step(role === "model" ? "assistant" : role, {
        calls: [...new Set<string>(names("functionCall"))],
        results: [...new Set<string>(names("functionResponse"))],
        empty: parts.length === 0,
      });
    }),
};

/** Joins adjacent calls, and adjacent results, into one step. */
function joined(items: Row[]): Step[] {
  const steps: Step[] = [];
  for (const item of items) {
    const last = steps.at(-1);
    if (item.type === "function_call") {
      if (last?.who === "calls") last.calls.push(item.call_id);
      else steps.push(step("calls", { calls: [item.call_id] }));
    } else if (item.type === "function_call_output") {
      if (last?.who === "results") last.results.push(item.call_id);
      else steps.push(step("results", { results: [item.call_id] }));
    } else steps.push(step(item.role ?? "assistant"));
  }
  return steps;
}
