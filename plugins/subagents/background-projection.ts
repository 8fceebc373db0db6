import { isEvent, type ProjectionDefinition, type StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { BackgroundTask, TaskDetails } from "./contract.ts";

const REPORT = "subagent-report-";

/** Id of the message with a subagent's report. It stays the same if the report is sent again. */
export const reportId = (sessionId: string) => REPORT + sessionId;

/** A background task starts with the result of its call, and ends with the message that has its report. */
export const backgroundTasks: ProjectionDefinition<readonly BackgroundTask[]> = {
  over: "log",
  reads: [
    { type: "message", containing: '"background":{' },
    { type: "message", containing: REPORT },
    { type: "queue_update", containing: REPORT },
  ],
  init: () => [],
  update(tasks, event: StoredEvent) {
    const begun = begunIn(event);
    if (begun) return [...tasks, begun];
    if (tasks.length === 0) return tasks;
    const ids = new Set(messageIdsIn(event));
    const left = tasks.filter(({ sessionId }) => !ids.has(reportId(sessionId)));
    return left.length === tasks.length ? tasks : left;
  },
};

function begunIn(event: StoredEvent): BackgroundTask | undefined {
  if (!isEvent(event, "message")) return undefined;
  const { message } = event;
  if (message.role !== "tool_result" || message.toolName !== "Task") return undefined;
  return (message.details as TaskDetails | undefined)?.background;
}

function messageIdsIn(event: StoredEvent): (string | undefined)[] {
  if (isEvent(event, "message")) return [event.message.meta?.messageId];
  if (!isEvent(event, "queue_update")) return [];
  const { items = [], added = [] } = event;
  return [...items, ...added].map(({ message }) => message.meta?.messageId);
}
