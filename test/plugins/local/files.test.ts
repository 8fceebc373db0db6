import { expect } from "vitest";
import { read } from "../../../plugins/local/files/files.ts";
import { itWith } from "../../optional.ts";

// Its size is 0, and it has 256 GB.
const ENDLESS = `/proc/${process.pid}/pagemap`;

itWith("linux", "a file without a known size is read only as far as the limit", async () => {
  const signal = AbortSignal.timeout(5_000);
  await expect(read(ENDLESS, { maxBytes: 100_000, signal })).rejects.toMatchObject({ code: "EFBIG", path: ENDLESS });
  const { size, bytes } = await read(`/proc/${process.pid}/status`, { maxBytes: 100_000, signal });
  expect([size, Buffer.from(bytes).toString()]).toEqual([0, expect.stringContaining(`Pid:\t${process.pid}`)]);
});
