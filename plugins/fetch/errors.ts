import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  FETCH_ADDRESS: (a: { reason: string }) =>
    `This address cannot be fetched: ${a.reason}. Pass a whole address, such as https://example.com/page.`,
  FETCH_FAILED: (a: { address: string; reason: string }) => `${a.address} could not be fetched: ${a.reason}.`,
  FETCH_STATUS: (a: { address: string; status: number; meaning: string }) =>
    `${a.address} could not be fetched: the server answered ${a.status} (${a.meaning}).`,
  FETCH_TYPE: (a: { address: string; type: string }) =>
    `${a.address} is no text but ${a.type}. To work with it, download it with Bash, such as: curl -fsSLo <file> <address>`,
  FETCH_CONVERT: (a: { address: string; reason: string }) =>
    `${a.address} was fetched, but its HTML could not be converted: ${a.reason}. To see parts of it, download it with Bash, such as: curl -fsSLo <file> <address>`,
  FETCH_OFFSET: (a: { offset: number; length: number }) =>
    `The page has ${a.length} characters, so there is nothing at offset ${a.offset}. Fetch it with a smaller offset.`,
});
