/** The tag of notifications that the service worker shows for pushes. */
const PUSHED = "scorel.pushed";

/** A notification that the service worker shows for the page. A push that soon finds it repeats it instead of adding another one. */
export class WorkerNotification {
  private readonly tag: string;
  private readonly showing: Promise<void>;

  /** `place` is opened for a click. */
  constructor(options: NotificationOptions & { tag: string }, place: string) {
    this.tag = options.tag;
    this.showing = show({ ...options, data: { open: place, at: Date.now() } });
  }

  close(): void {
    void this.showing.then(() => closeTagged(this.tag));
  }
}

/** Closes notifications of pushes, since a visible page shows more. */
export function closePushed(): void {
  void closeTagged(PUSHED);
}

async function show(options: NotificationOptions): Promise<void> {
  await closeTagged(PUSHED);
  const registration = await navigator.serviceWorker.getRegistration();
  // The person may have withdrawn the permission.
  await registration?.showNotification("Scorel", options).catch(() => {});
}

async function closeTagged(tag: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  for (const shown of (await registration?.getNotifications({ tag })) ?? []) shown.close();
}

/**
 * Opens the session of a notification that the person has clicked; the service worker sends its place. Returns a function that ends this.
 */
export function followClicks(): () => void {
  const go = ({ data }: MessageEvent) => {
    if (typeof data?.open === "string" && data.open.startsWith("#/")) location.hash = data.open;
  };
  navigator.serviceWorker?.addEventListener("message", go);
  return () => navigator.serviceWorker?.removeEventListener("message", go);
}
