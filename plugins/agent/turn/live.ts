import type { AgentEvent, AgentMessage } from "@mariozechner/pi-agent-core";

/** The live part of pi's read-only state: the streaming message, pending calls and the last error. */
export class LiveState {
  streamingMessage: AgentMessage | undefined;
  errorMessage: string | undefined;
  readonly pendingToolCalls = new Set<string>();

  hear(event: AgentEvent): void {
    if (event.type === "message_update" || event.type === "message_start") this.streamingMessage = event.message;
    else if (event.type === "message_end") this.endMessage(event.message);
    else if (event.type === "tool_execution_start") this.pendingToolCalls.add(event.toolCallId);
    else if (event.type === "tool_execution_end") this.pendingToolCalls.delete(event.toolCallId);
  }

  private endMessage(message: AgentMessage): void {
    this.streamingMessage = undefined;
    if (message.role === "assistant") this.errorMessage = message.errorMessage;
  }
}
