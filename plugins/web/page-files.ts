import type { PageFiles } from "@scorel/relay/contract";
import type { WebRoute } from "@scorel/web-server/contract";
import type { ApartPage } from "./apart.ts";

/** Path of the same page on a host. Pairing links lead there in browsers that have no token of the host. */
export const APART = "/apart/";

/** The page for servers that are not hosts: as a service, and below a path of this host. It is read at the first request. */
export function pageFiles(): { service: PageFiles; below: NonNullable<WebRoute["open"]> } {
  const apart = () => import("./apart.ts");
  let reading: Promise<ApartPage> | undefined;
  const page = async () => {
    reading ??= apart().then(({ apartPage }) => apartPage());
    // Tried again with the next call, since the page may have been built by then.
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
