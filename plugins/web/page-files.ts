import type { PageFiles } from "@scorel/relay/contract";
import type { WebRoute } from "@scorel/web-server/contract";
import type { ApartPage } from "./apart.ts";

/** Where a host has that page, too: a link to pair with leads there in a browser that has no token of the host. */
export const APART = "/apart/";

/** The page for servers that are no hosts, as others use it and below a path of this one. It is read when it is first asked for. */
export function pageFiles(): { service: PageFiles; below: NonNullable<WebRoute["open"]> } {
  const apart = () => import("./apart.ts");
  let reading: Promise<ApartPage> | undefined;
  const page = async () => {
    reading ??= apart().then(({ apartPage }) => apartPage());
    // It may be built by the next call.
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    service: {
      hash: async () => (await page()).hash,
      write: async (folder) => (await apart()).writeApart(folder),
      answer: async (request, response) => (await apart()).answerApart(await page(), request, response),
    },
    below: async (request, response) => (await apart()).answerBelow(APART, await page(), request, response),
  };
}
