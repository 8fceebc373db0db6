/** What happened on the network that the library's own messages leave out. */
export interface Wire {
  fetch: typeof fetch;
  /** Why the server was not reached; undefined when it was. */
  unreached?: string;
}

/**
 * A fetch for requests to one base url: it goes nowhere else, follows no redirect (which would carry the conversation
 * and custom headers to another host), and remembers why a server was not reached.
 */
export function wireTo(baseUrl: string): Wire {
  const wire: Wire = {
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      if (new URL(baseUrl).hostname !== "api.openai.com") {
        // The SDK reads these from OPENAI_ORG_ID and OPENAI_PROJECT_ID, whatever the host.
        headers.delete("openai-organization");
        headers.delete("openai-project");
      }
      const response = await send(input, { ...init, headers, redirect: "manual" }, wire);
      return response.status >= 300 && response.status < 400 ? refused(response) : response;
    },
  };
  return wire;
}

async function send(input: Parameters<typeof fetch>[0], init: RequestInit, wire: Wire): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (thrown) {
    wire.unreached = reason(thrown);
    throw thrown;
  }
}

/** undici hides the system's error one level down. */
function reason(thrown: unknown): string {
  const cause = (thrown as { cause?: { code?: string; message?: string } }).cause;
  return cause?.code ?? cause?.message ?? String((thrown as Error).message);
}

async function refused(response: Response): Promise<Response> {
  await response.body?.cancel();
  const target = response.headers.get("location");
  const to =
    target && URL.canParse(target, response.url || undefined)
      ? new URL(target, response.url || undefined).origin
      : "elsewhere";
  const message = `The server redirects to ${to}, which is not followed: set baseUrl to where the api really is.`;
  return Response.json({ error: { message } }, { status: response.status });
}

/** Runs `work` with another global fetch. Safe only for synchronous work: nobody else can see the exchange. */
export function withFetch<T>(replacement: typeof fetch, work: () => T): T {
  const original = globalThis.fetch;
  globalThis.fetch = replacement;
  try {
    return work();
  } finally {
    globalThis.fetch = original;
  }
}
