import { mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { dataFolder, holdFolder } from "../../../plugins/relay/server/data-folder.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** More than the milliseconds between two signs of life of the process that holds a folder. */
const BEATS_MS = 5_000;

describe("the folder of a relay", () => {
  it("has a path that is short enough for the socket in it", () => {
    const longest = `/${"d".repeat(86)}`;
    expect(dataFolder(longest)).toBe(longest);
    expect(() => dataFolder(`${longest}d`)).toThrow(
      expect.objectContaining({
        code: "RELAY_DATA_LONG",
        message: `The path of the relay's folder, ${longest}d, is too long for the socket in it (88 bytes; at most 87). Name a shorter one with --data.`,
      }),
    );
  });

  it("stays held while its lock cannot be read, as without free file descriptors, until the lock is gone", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder("scorel-relay-");
    const path = join(folder, "relay.lock");
    const lost = vi.fn();
    const lock = await holdFolder(folder, lost);
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    vi.advanceTimersByTime(BEATS_MS);
    expect(lost).not.toHaveBeenCalled();
    rmdirSync(path);
    renameSync(`${path}.aside`, path);
    vi.advanceTimersByTime(BEATS_MS);
    expect([lock.holds(), lost.mock.calls]).toEqual([true, []]);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
