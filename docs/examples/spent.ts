/** `scorel spent` sums up the cost of the sessions in this directory; save it in `~/.scorel/extensions`. */
import { definePlugin, type EventOf, isEvent } from "@scorel/kernel";

export default definePlugin({
  id: "spent",
  name: "Spent",
  version: "1.0.0",
  // Once per process, not per session, so that it can add a command to the command line.
  scope: "host",
  needs: ["host"],
  cliCommands: ({ host }) => [
    {
      noun: "spent",
      description: "Add up what the sessions of this directory have cost",
      async run({ cwd, stdout }) {
        const client = host.connect();
        try {
          let total = 0;
          const { sessions } = await client.request("list_sessions", { cwd });
          for (const { sessionId } of sessions) {
            let after: string | undefined;
            for (let more = true; more; ) {
              const page = await client.request("get_events", { sessionId, ...(after !== undefined && { after }) });
              for (const { event } of page.events) if (isEvent(event, "message")) total += costOf(event);
              more = page.more;
              after = page.anchor.persistentId ?? undefined;
            }
          }
          stdout.write(`${total.toFixed(4)} US dollars in ${sessions.length} sessions\n`);
          return 0;
        } finally {
          await client.close();
        }
      },
    },
  ],
});

function costOf({ message }: EventOf<"message">): number {
  if (message.role === "assistant") return message.usage.cost.total;
  // A tool says what it has used by itself, such as the replies in a session of a subagent, which is not listed.
  return message.role === "tool_result" ? (message.usage?.cost.total ?? 0) : 0;
}
