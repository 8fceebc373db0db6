import { Kept } from "../app/kept.ts";
import { Store } from "../store.ts";

/** Whether the browser shows notifications of this page: `default` before the person was asked. */
export type NoticeState = "default" | "granted" | "denied" | "unsupported";

export const noticeState = new Store<NoticeState>(stateNow());
/** The person wants them. */
export const noticesOn = new Kept("notices", false);
/** They name the session. */
export const noticesDetailed = new Kept("notices.detailed", false);

/** What the browser allows now: the person may have changed it in its settings. */
export function lookAtNotices(): NoticeState {
  if (noticeState.get() !== "unsupported") noticeState.set(stateNow());
  return noticeState.get();
}

function stateNow(): NoticeState {
  return "Notification" in globalThis && isSecureContext ? Notification.permission : "unsupported";
}

/** Asks the person for the browser's permission, and switches notifications on after a yes. To be called by a button alone. */
export async function wantNotices(): Promise<void> {
  if (stateNow() === "default") await Notification.requestPermission();
  noticeState.set(stateNow());
  noticesOn.set(noticeState.get() === "granted");
}
