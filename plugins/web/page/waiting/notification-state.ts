import { Kept } from "../app/kept.ts";
import { Store } from "../store.ts";

/** Whether the browser shows notifications of this page. `default`: the person has not been asked yet. */
export type NotificationState = "default" | "granted" | "denied" | "unsupported";

export const notificationState = new Store<NotificationState>(stateNow());
/** Whether the person wants notifications. */
export const notificationsOn = new Kept("notifications", false);
/** Whether notifications contain the title of the session. */
export const notificationsDetailed = new Kept("notifications.detailed", false);

/** Updates and returns the browser's permission, since the person may have changed it in the settings. */
export function lookAtNotifications(): NotificationState {
  if (notificationState.get() !== "unsupported") notificationState.set(stateNow());
  return notificationState.get();
}

function stateNow(): NotificationState {
  return "Notification" in globalThis && isSecureContext ? Notification.permission : "unsupported";
}

/** Asks for the browser's permission, and switches notifications on if it is given. Call it only for a click. */
export async function wantNotifications(): Promise<void> {
  if (stateNow() === "default") await Notification.requestPermission();
  notificationState.set(stateNow());
  notificationsOn.set(notificationState.get() === "granted");
}
