import type { RemoteClient } from "@scorel/host/client";

/** Whether the host can be reached now. Waits for an attempt to connect that is in progress. */
export async function isReachable(client: Pick<RemoteClient, "state" | "onState">): Promise<boolean> {
  if (client.state.state === "connecting")
    await new Promise<void>((resolve) => {
      const stop = client.onState(({ state }) => {
        if (state === "connecting") return;
        stop();
        resolve();
      });
    });
  return client.state.state === "live";
}
