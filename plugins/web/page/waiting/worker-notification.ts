/** The tag of what the worker shows of a push. */
const PUSHED = "scorel.pushed";

/** A notification that the worker shows for the page, where a push finds it and shows nothing else. */
export class WorkerNotification {
  private readonly tag: string;
  private readonly showing: Promise<void>;

  constructor(options: NotificationOptions & { tag: string }) {
    this.tag = options.tag;
    this.showing = show(options);
  }

  close(): void {
    void this.showing.then(() => closeTagged(this.tag));
  }
}

/** Removes what a push has shown: whoever looks at the page sees more. */
export function closePushed(): void {
  void closeTagged(PUSHED);
}

async function show(options: NotificationOptions): Promise<void> {
  await closeTagged(PUSHED);
  const registration = await navigator.serviceWorker.getRegistration();
  // The person may have taken back the permission.
  await registration?.showNotification("Scorel", options).catch(() => {});
}

async function closeTagged(tag: string): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  for (const shown of (await registration?.getNotifications({ tag })) ?? []) shown.close();
}

/** The worker says where a person wants to go who has clicked on a notification. */
export function followClicks(): () => void {
  const go = ({ data }: MessageEvent) => {
    if (typeof data?.open === "string" && data.open.startsWith("#/")) location.hash = data.open;
  };
  navigator.serviceWorker?.addEventListener("message", go);
  return () => navigator.serviceWorker?.removeEventListener("message", go);
}
