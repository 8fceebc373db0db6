/**
 * The service worker of the page. It caches the page's own files, so that the page can be opened while its host is away, and shows
 * notifications for pushes. It caches no data of the host, and sees no token: the page talks to its host over a WebSocket.
 */

/** Paths of the page's files, relative to the worker, and a digest of their contents. Set by the build. */
declare const SCOREL_SHELL: { files: readonly string[]; digest: string };

/** Milliseconds that the host has to start its answer before the cached page is shown. */
const PATIENCE_MS = 4_000;

const worker = self as unknown as ServiceWorkerGlobalScope;
const { scope } = worker.registration;
/** Prefix of this page's caches. Pages of the same origin below other paths of a proxy have other caches. */
const ours = `scorel-shell ${scope} `;
const name = ours + SCOREL_SHELL.digest;
const files = new Set(SCOREL_SHELL.files.map((file) => new URL(file, scope).href));

worker.addEventListener("install", (event) => event.waitUntil(keepShell()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET") return;
  const plain = url.split(/[?#]/, 1)[0] as string;
  if (mode === "navigate") {
    if (plain === scope) event.respondWith(pageFor(event));
  } else if (files.has(plain)) event.respondWith(fileFor(event.request, plain));
});

worker.addEventListener("push", (event) => event.waitUntil(tell()));
worker.addEventListener("notificationclick", (event) => event.waitUntil(open(event)));

/** The tag of notifications for pushes. */
const PUSHED = "scorel.pushed";
/** Milliseconds within which the push for a notification of a page arrives. The host waits a few seconds before it sends one. */
const SAME_NEWS_MS = 30_000;

/** The `data` of a notification that a page has shown. */
interface Shown {
  /** The address that a click opens. */
  open: string;
  /** When it was shown, in milliseconds since 1970. */
  at: number;
}

/**
 * Shows a notification that something is new. It says nothing more, since a push has no content, and locked screens show notifications. If
 * an open page has just shown a better one, that is repeated silently, because browsers require a notification for each push. One of an
 * earlier push is about something else, and so is an older one, which also stays when the system has ended its page: the person is told
 * again.
 */
async function tell(): Promise<void> {
  const all = await worker.registration.getNotifications();
  const known = all.findLast(({ data }) => Date.now() - ((data as Shown | null)?.at ?? 0) < SAME_NEWS_MS);
  const isChinese = navigator.language.toLowerCase().startsWith("zh");
  const text = isChinese ? "有会话在等待你，或已完成工作。" : "A session waits for you, or has ended its work.";
  // The types of the DOM library do not know `renotify`. Without it, replacing a notification makes no sound.
  const options: NotificationOptions & { renotify: boolean } = {
    body: known?.body ?? text,
    tag: known?.tag ?? PUSHED,
    icon: new URL("page/icon-asking.svg", scope).href,
    silent: known !== undefined,
    renotify: known === undefined,
    data: known?.data,
  };
  await worker.registration.showNotification("Scorel", options);
}

/** Opens the place of a notification, in an open page or in a new one. */
async function open({ notification }: NotificationEvent): Promise<void> {
  notification.close();
  const place = (notification.data as Shown | null)?.open;
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => url.split(/[?#]/, 1)[0] === scope);
  if (!page) return void (await worker.clients.openWindow(scope + (place ?? "")));
  if (place !== undefined) page.postMessage({ open: place });
  await page.focus();
}

/** Caches the page. Fails if the host by now has another build than this worker; the browser then tries again with that build's worker. */
async function keepShell(): Promise<void> {
  const shell = await caches.open(name);
  await shell.addAll([scope, ...files].map((url) => new Request(url, { cache: "no-cache" })));
  // Replaces the old worker at once: an open page has already loaded all its scripts, so it does not need the cache of its build.
  await worker.skipWaiting();
}

async function takeOver(): Promise<void> {
  for (const other of await caches.keys()) if (other.startsWith(ours) && other !== name) await caches.delete(other);
  await worker.clients.claim();
}

/** The page from the host; from the cache if the host does not answer in time, or a proxy says that the host is away. */
async function pageFor(event: FetchEvent): Promise<Response> {
  const kept = await keptFile(scope);
  const asked = fetch(event.request);
  if (!kept) return asked;
  const answer = await Promise.race([asked.catch(() => undefined), pause(PATIENCE_MS)]);
  if (!answer || answer.status >= 500) return kept;
  if (answer.ok && textOf(answer) === textOf(kept)) event.waitUntil(keepPage(answer.clone()));
  return answer;
}

/** Caches the answer again, since the policy of the page changes with its devices, while its text and scripts stay the same. */
async function keepPage(answer: Response): Promise<void> {
  const shell = await caches.open(name);
  await shell.put(scope, answer);
}

/** Identifies the text of a page: the part of its tag that does not depend on the policy. */
function textOf({ headers }: Response): string | undefined {
  return headers.get("ETag")?.replace(/^W\//, "").split(".", 1)[0];
}

/** From the cache if possible: names of scripts and styles change with their contents, so the cached file equals the host's. */
async function fileFor(request: Request, url: string): Promise<Response> {
  return (await keptFile(url)) ?? fetch(request);
}

/** Undefined also if the browser cannot read its cache, as with a full or damaged disk: the host still has the file. */
async function keptFile(url: string): Promise<Response | undefined> {
  try {
    const shell = await caches.open(name);
    return await shell.match(url, { ignoreVary: true });
  } catch {
    return undefined;
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}
