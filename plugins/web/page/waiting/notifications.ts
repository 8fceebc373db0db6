import { fragmentOf, goTo } from "../app/place.ts";
import type { Device } from "../host/device.ts";
import type { Devices } from "../host/devices.ts";
import { titleOf } from "../sidebar/title.ts";
import type { Words } from "../words/words.ts";
import { sessionsOf, waitingIn } from "./marks.ts";
import {
  lookAtNotifications,
  notificationState,
  notificationsDetailed,
  notificationsOn,
} from "./notification-state.ts";
import { pushId } from "./push.ts";
import { closePushed, WorkerNotification } from "./worker-notification.ts";

/**
 * Shows notifications about sessions that wait, for all devices. Those of a device stay when its or another connection is lost and comes
 * back, and only end with the device: what then begins anew takes everything that waits for known. Returns a function that ends all.
 */
export function notifyOfWaiting(devices: Pick<Devices, "connected" | "others">, words: Words): () => void {
  const ends = new Map<Device, () => void>();
  const look = (connected: readonly Device[]) => {
    for (const [device, end] of ends)
      if (!connected.includes(device)) {
        ends.delete(device);
        end();
      }
    for (const device of connected) if (!ends.has(device)) ends.set(device, new Notifications(device, words).begin());
  };
  look(devices.connected());
  const end = devices.others.subscribe(() => look(devices.connected()));
  return () => {
    end();
    look([]);
  };
}

/** Shows notifications about waiting sessions while the tab is not visible. They are closed when somebody has answered. */
class Notifications {
  private readonly device: Device;
  private readonly words: Words;
  private readonly shown = new Map<string, { close(): void }>();
  /** The sessions that waited at the last check; undefined before the host has answered. */
  private waiting: ReadonlySet<string> | undefined;

  constructor(device: Device, words: Words) {
    this.device = device;
    this.words = words;
  }

  /** Starts to follow the sessions. Returns a function that ends this. */
  begin(): () => void {
    const end = this.device.sessions.projects.subscribe(() => this.look());
    const seen = () => {
      if (document.hidden) return;
      this.closeAll();
      closePushed();
    };
    document.addEventListener("visibilitychange", seen);
    addEventListener("pagehide", this.closeAll);
    this.look();
    return () => {
      end();
      document.removeEventListener("visibilitychange", seen);
      removeEventListener("pagehide", this.closeAll);
      this.closeAll();
    };
  }

  private look(): void {
    const { sessions } = this.device;
    if (!sessions.hasBegun) return;
    const rows = waitingIn(sessions.projects.get());
    const before = this.waiting;
    this.waiting = new Set(rows.map(({ sessionId }) => sessionId));
    for (const sessionId of this.shown.keys()) if (!this.waiting.has(sessionId)) this.close(sessionId);
    if (!document.hidden || !notificationsOn.get() || lookAtNotifications() !== "granted") return;
    for (const row of rows) if (before && !before.has(row.sessionId)) this.show(row.sessionId);
  }

  private show(sessionId: string): void {
    const row = sessionsOf(this.device.sessions.projects.get()).find((each) => each.sessionId === sessionId);
    // A locked screen shows notifications to everybody, so they contain nothing of the session unless the person has chosen that.
    const text =
      notificationsDetailed.get() && row ? this.words.waitsNow(titleOf(row, this.words)) : this.words.notificationText;
    // The same tag in all tabs of the browser, so that they replace each other's notifications.
    const tag = `scorel.${this.device.keyOf(sessionId)}`;
    const options = { body: text, tag, icon: "./page/icon-asking.svg" };
    const place = fragmentOf({ at: "session", sessionId }, this.device.id);
    if (pushId.get() !== undefined) this.shown.set(sessionId, new WorkerNotification(options, place));
    else this.showByPage(sessionId, options);
  }

  private showByPage(sessionId: string, options: NotificationOptions): void {
    try {
      const notification = new Notification("Scorel", options);
      notification.onclick = () => {
        window.focus();
        goTo({ at: "session", sessionId }, { device: this.device.id });
      };
      this.shown.set(sessionId, notification);
    } catch {
      // Some mobile browsers only support notifications of service workers.
      notificationState.set("unsupported");
    }
  }

  private close(sessionId: string): void {
    this.shown.get(sessionId)?.close();
    this.shown.delete(sessionId);
  }

  private readonly closeAll = (): void => {
    for (const sessionId of [...this.shown.keys()]) this.close(sessionId);
  };
}
