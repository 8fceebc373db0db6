/** A tool `Ask` that gives a task to a subagent, a session of its own; save it in `~/.scorel/extensions`, set its preset in `[subagent] preset`. */
import { type AnyEvent, definePlugin, isEvent, type Missed, type Transients } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "subagent",
  name: "Subagent",
  version: "1.0.0",
  needs: ["host", "requests", "workspace"],
  config: z.strictObject({ preset: z.string().optional() }),
  tools: ({ host, requests, session, workspace, config }) => [
    {
      name: "Ask",
      description: "Gives a task to a subagent, which works on it alone and answers with a report.",
      parameters: z.object({ task: z.string().describe("what to do, with all that is needed for it") }),
      // Nothing is asked about the call itself: the subagent's own calls are asked about, in this session.
      approval: "free",
      async execute(toolCallId, { task }, signal, onUpdate) {
        const client = host.connect();
        try {
          const { sessionId } = await client.request("create_session", {
            cwd: workspace.cwd,
            kind: "subagent",
            parent: { sessionId: session.id, toolCallId },
            ...(config.preset !== undefined && { preset: config.preset }),
          });
          await requests.forward(client, sessionId, { label: "subagent", ...(signal && { signal }) });
          const progress = new Progress();
          await client.subscribe(sessionId, ({ event }) => {
            if (progress.take(event))
              onUpdate?.({ content: text(progress.said), usage: { ...progress.usage, sessionId } });
          });
          const { id } = await client.request("send_message", { sessionId, content: task });
          const cancel = () => void client.request("cancel", { sessionId });
          signal?.addEventListener("abort", cancel, { once: true });
          if (signal?.aborted) cancel();
          const { text: answer, usage, error } = await client.request("wait_turn", { sessionId, id });
          return {
            content: text(error ? `${answer}\n${error.message}` : answer),
            details: { sessionId },
            isError: error !== undefined,
            usage: { ...usage, sessionId },
          };
        } finally {
          await client.close();
        }
      },
    },
  ],
});

const text = (words: string) => [{ type: "text" as const, text: words }];

/** The text and token usage of the subagent's reply so far. */
class Progress {
  said = "";
  readonly usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

  /** Returns whether the event says something new. */
  take(event: AnyEvent | Missed): boolean {
    if (isEvent(event, "text_delta")) this.said += event.delta;
    if (isEvent(event, "tool_execution_start")) this.said += `\n[${event.toolName}]\n`;
    if (isEvent(event, "turn_end")) this.add(event.usage);
    return ["text_delta", "tool_execution_start", "turn_end"].includes(event.type);
  }

  private add(used: Transients["turn_end"]["usage"]): void {
    for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) this.usage[key] += used?.[key] ?? 0;
    this.usage.cost.total += used?.cost.total ?? 0;
  }
}
