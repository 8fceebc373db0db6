import type { Invocation } from "@scorel/cli/contract";
import { errors } from "./errors.ts";
import { showLink } from "./protocol/link.ts";
import { qrLines } from "./qr.ts";

interface Offered {
  code: string;
  hostId: string;
  fingerprint: string;
  relays: string[];
  seconds: number;
}

/** Number of columns to assume for a terminal that does not report it. */
const USUAL_COLUMNS = 80;

/** The output of `scorel pair`: the code, what to do with it, and with a page, the link; in a terminal also as a QR code. */
export async function offerText(
  { code, hostId: host, fingerprint, relays, seconds }: Offered,
  { page, hash }: { page: string | undefined; hash: string | undefined },
  stdout: Invocation["stdout"],
): Promise<string> {
  const link = showLink(page ?? "", { code, relays, host });
  const { isTTY, columns = USUAL_COLUMNS } = stdout as { isTTY?: boolean; columns?: number };
  const picture = page !== undefined && isTTY === true ? await qrLines(link, columns) : undefined;
  return [
    `Code: ${code}`,
    `It pairs one device within ${Math.round(seconds / 60)} minutes. On the other computer:`,
    `  scorel pair ${code} --relay ${relays.join(",")}`,
    page === undefined
      ? 'Or in a page of Scorel, as the code of "Add a device", or after the address of the page:'
      : "Or in a browser:",
    `  ${link}`,
    ...(picture ?? []),
    ...(page === undefined || hash === undefined
      ? []
      : [
          "A server that is no host should have this version of the page there. SHA-256 of its index.html:",
          `  ${hash}`,
        ]),
    `This host is ${fingerprint}; the other computer shows the same.`,
    "",
  ].join("\n");
}

/** The address of the page that pairing links open. Throws RELAY_PAGE. */
export function pageAddress(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  const isBare = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isBare || !/^https?:$/.test(url.protocol)) throw errors.RELAY_PAGE();
  return url.href;
}
