import type { StopReason } from "@agentclientprotocol/sdk";
import type { TurnOutcome } from "@scorel/agent/contract";
import { takeBackQueued } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { ScorelError } from "@scorel/kernel";
import { newId } from "@scorel/kit/values/id";
import type { Prompt } from "./content.ts";

/** A prompt of the editor that is not answered yet. */
interface Awaited {
  /** Id of the message, once it has been sent. */
  id?: string;
  isCancelled: boolean;
  /** Ends the wait, because the message was removed before it was answered. */
  takeBack(): void;
}

/** The prompts of one session that an editor has sent and that are not answered yet. */
export class Turns {
  private readonly client: Client;
  private readonly sessionId: string;
  private readonly awaited = new Set<Awaited>();
  /** Ids of messages that the editor has sent. It shows these itself. */
  private readonly own = new Set<string>();

  constructor(client: Client, sessionId: string) {
    this.client = client;
    this.sessionId = sessionId;
  }

  /** Whether the editor itself has sent the message of an event. */
  isOwn(event: { clientId?: unknown; message?: unknown }): boolean {
    const { meta } = (event.message ?? {}) as { meta?: { messageId?: unknown } };
    return event.clientId === this.client.clientId || this.own.has(String(meta?.messageId));
  }

  /** Sends a prompt, and waits for the end of its turn. `signal` cancels it. */
  async send({ content, mentions }: Prompt, signal: AbortSignal): Promise<StopReason> {
    const { client, sessionId } = this;
    const messageId = newId();
    this.own.add(messageId);
    return this.follow(async () => {
      const sent = await client.request("send_message", {
        sessionId,
        content,
        messageId,
        ...(!mentions && { mentions }),
      });
      return sent.id;
    }, signal);
  }

  /** Waits for the end of the turn that answers the message sent by `send`. */
  async follow(send: () => Promise<string>, signal: AbortSignal): Promise<StopReason> {
    const { client, sessionId } = this;
    let takeBack = () => {};
    const takenBack = new Promise<undefined>((resolve) => {
      takeBack = () => resolve(undefined);
    });
    const awaited: Awaited = { isCancelled: false, takeBack };
    this.awaited.add(awaited);
    const cancel = () => void this.withdraw([awaited]).catch(takeBack);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const id = await send();
      awaited.id = id;
      if (awaited.isCancelled || signal.aborted) await this.withdraw([awaited]);
      const outcome = await Promise.race([client.request("wait_turn", { sessionId, id }), takenBack]);
      if (outcome === undefined) return "cancelled";
      await client.drained(sessionId);
      return awaited.isCancelled ? "cancelled" : stopReasonOf(outcome);
    } finally {
      signal.removeEventListener("abort", cancel);
      this.awaited.delete(awaited);
    }
  }

  /** Whether the editor waits for a turn. */
  get isWaiting(): boolean {
    return this.awaited.size > 0;
  }

  /** Cancels all prompts of the editor. A turn that only other clients wait for goes on. */
  cancel(): Promise<void> {
    return this.withdraw([...this.awaited]);
  }

  private async withdraw(prompts: readonly Awaited[]): Promise<void> {
    const { client, sessionId } = this;
    for (const prompt of prompts) prompt.isCancelled = true;
    const sent = prompts.filter(({ id }) => id !== undefined);
    if (sent.length === 0) return;
    // While the host is disconnected, a request to cancel would wait for it, and could then cancel a later turn.
    if (isAway(client)) {
      for (const prompt of sent) prompt.takeBack();
      return;
    }
    const taken = await takeBackQueued(client, sessionId, (item) => sent.some(({ id }) => id === item.id));
    const back = new Set(taken.map(({ id }) => id));
    for (const prompt of sent) if (back.has(prompt.id as string)) prompt.takeBack();
    if (sent.some(({ id }) => !back.has(id as string))) await client.request("cancel", { sessionId });
  }
}

/** Whether a request would wait until the host can be reached. */
const isAway = (client: Client) => ["waiting", "connecting"].includes(client.state?.state ?? "");

/** Resolves when the host can be reached, or will not be reached any more. */
export function untilConnected(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (isAway(client)) return;
      ignore?.();
      resolve();
    };
    const ignore = client.onState?.(look);
    look();
  });
}

/** The reason why a turn has ended. Throws the error of a turn that has failed. */
function stopReasonOf({ reason, error, stopReason }: TurnOutcome): StopReason {
  if (reason === "cancelled") return "cancelled";
  if (reason === "error") throw new ScorelError(error?.code ?? "UNEXPECTED", error?.message ?? "The turn has failed.");
  return stopReason === "length" ? "max_tokens" : "end_turn";
}
