import type { PageFiles } from "@scorel/relay/contract";
import type { ApartPage } from "./apart.ts";

/** The page for servers that are no hosts. It is read when it is first asked for. */
export function pageFiles(): PageFiles {
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
    hash: async () => (await page()).hash,
    write: async (folder) => (await apart()).writeApart(folder),
    answer: async (request, response) => (await apart()).answerApart(await page(), request, response),
  };
}
