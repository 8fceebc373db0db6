import { tokenId } from "@scorel/host/client";
import { useEffect } from "react";
import { Kept } from "../app/kept.ts";
import { keptToken } from "../host/access.ts";
import type { Device } from "../host/device.ts";
import { Store, useStore } from "../store.ts";
import { lookAtNotifications } from "./notification-state.ts";
import { followClicks } from "./worker-notification.ts";

/** Milliseconds between two messages that the page is visible. After twice this time, the host takes it for closed. */
const BEAT_MS = 30_000;

/** Whether the person wants to be told also while no page is open. */
export const pushOn = new Kept("push", false);
/** Id of this browser's subscription at the host, while the host sends pushes to it. */
export const pushId = new Store<string | undefined>(undefined);
/** Why the browser or the host does not support pushes at present. */
export const pushProblem = new Store<string | undefined>(undefined);

/** Whether the browser supports pushes. */
export function canBePushed(): boolean {
  return isSecureContext && "serviceWorker" in navigator && "PushManager" in globalThis;
}

/**
 * Subscribes this browser to pushes of the host, if the person wants that and the browser allows it. To be repeated after each connection.
 */
export async function subscribe({ client }: Pick<Device, "client">): Promise<void> {
  const token = keptToken();
  if (token === undefined || !pushOn.get() || !canBePushed() || lookAtNotifications() !== "granted") return;
  try {
    const { endpoint } = await subscriptionFor((await client.request("get_push_key", {})).key);
    const asked = { endpoint, page: await tokenId(token), origin: location.origin };
    pushId.set((await client.request("subscribe_push", asked)).id);
    pushProblem.set(undefined);
    // The person may have switched pushes off meanwhile, when there was no subscription to end.
    if (!pushOn.get()) await unsubscribe({ client });
  } catch (thrown) {
    pushProblem.set((thrown as Error).message);
  }
}

/** Ends the subscription, at the host and in the browser. */
export async function unsubscribe({ client }: Pick<Device, "client">): Promise<void> {
  const id = pushId.get();
  pushId.set(undefined);
  pushOn.set(false);
  if (!canBePushed()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  // First in the browser: it then accepts no more pushes, whatever happens at the host.
  await subscription?.unsubscribe();
  if (id !== undefined && client.state.state === "live") await client.request("unsubscribe_push", { id });
}

/** Keeps the subscription up to date, and tells the host whether this page is visible. */
export function usePush(device: Device): void {
  const isOn = useStore(pushOn);
  const id = useStore(pushId);
  const isLive = useStore(device.link).state === "live";
  useEffect(followClicks, []);
  useEffect(() => {
    if (isOn && isLive) void subscribe(device);
  }, [device, isOn, isLive]);
  useEffect(() => {
    if (id === undefined || !isLive) return;
    const tell = () => void device.client.request("tell_sight", { id, inSight: !document.hidden }).catch(() => {});
    const beat = setInterval(() => document.hidden || tell(), BEAT_MS);
    tell();
    document.addEventListener("visibilitychange", tell);
    return () => {
      clearInterval(beat);
      document.removeEventListener("visibilitychange", tell);
    };
  }, [device, id, isLive]);
}

/** Keeps the questions of a session open after its last page was closed, since a push tells the person about them. */
export function useAnsweringLater(device: Device, sessionId: string, isOpen: boolean): void {
  const id = useStore(pushId);
  const isLive = useStore(device.link).state === "live";
  const { answer } = useStore(device.rights);
  useEffect(() => {
    // Other devices are left out: only the page's own host sends pushes to this browser.
    if (id === undefined || !isOpen || !isLive || !answer || device.id !== "") return;
    device.client.request("attend_by_push", { sessionId, id }).catch(() => {});
  }, [device, sessionId, id, isOpen, isLive, answer]);
}

/** The browser's subscription for this key. A subscription for another key, such as that of a host before a reset, is replaced. */
async function subscriptionFor(key: string): Promise<PushSubscription> {
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration) throw new Error("The browser keeps no worker of this page.");
  const { pushManager } = registration;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (thrown) {
    const other = await pushManager.getSubscription();
    if (!other) throw thrown;
    await other.unsubscribe();
    return pushManager.subscribe(options);
  }
}
