import { Kept } from "../app/kept.ts";
import { Store } from "../store.ts";

/** Whether the browser shows notifications of this page: `default` before the person was asked. */
export type NotificationState = "default" | "granted" | "denied" | "unsupported";

export const notificationState = new Store<NotificationState>(stateNow());
/** The person wants them. */
export const notificationsOn = new Kept("notifications", false);
/** They name the session. */
export const notificationsDetailed = new Kept("notifications.detailed", false);

/** What the browser allows now: the person may have changed it in its settings. */
export function lookAtNotifications(): NotificationState {
  if (notificationState.get() !== "unsupported") notificationState.set(stateNow());
  return notificationState.get();
}

function stateNow(): NotificationState {
  return "Notification" in globalThis && isSecureContext ? Notification.permission : "unsupported";
}

/** Asks the person for the browser's permission, and switches notifications on after a yes. To be called by a button alone. */
export async function wantNotifications(): Promise<void> {
  if (stateNow() === "default") await Notification.requestPermission();
  notificationState.set(stateNow());
  notificationsOn.set(notificationState.get() === "granted");
}
