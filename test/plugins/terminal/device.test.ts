import { createWriteStream, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { Device } from "../../../plugins/terminal/screen/device.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A device whose terminal is a file, so that what it was sent can be read. */
function opened() {
  const path = join(temporaryFolder("device-"), "terminal");
  const output = createWriteStream(path, { fd: openSync(path, "a") });
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => void modes.push(mode) });
  const keys: string[] = [];
  const events = { wheel() {}, click() {}, changed() {}, background() {}, complained() {}, ended() {} };
  const device = new Device(
    { stdin, stdout: output, terminal: output, stderr: new PassThrough(), env: {} } as unknown as ConstructorParameters<
      typeof Device
    >[0],
    { ...events, key: (data) => void keys.push(data) },
  );
  device.open();
  onTestFinished(() => device.close());
  return {
    device,
    keys,
    isRaw: () => modes.at(-1),
    /** Everything that was written to the terminal until it was given back. */
    sent: () => new Promise<string>((resolve) => output.end(() => resolve(readFileSync(path, "utf8")))),
  };
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe("the device", () => {
  it("leaves the terminal to a program that has it, also if the process is continued meanwhile", async () => {
    const { device, isRaw } = opened();
    const wasRaw = await device.lend(async () => {
      process.emit("SIGCONT");
      return isRaw();
    });
    expect([wasRaw, isRaw()]).toEqual([false, true]);
  });

  it("leaves the terminal alone when it was closed while a program had it", async () => {
    const { device, isRaw } = opened();
    await device.lend(async () => device.close());
    expect(isRaw()).toBe(false);
  });

  it("takes back each keyboard mode that it pushed on the terminal's stack", async () => {
    const { device, sent } = opened();
    process.emit("SIGCONT");
    process.emit("SIGCONT");
    await device.lend(async () => {});
    device.close();
    const text = await sent();
    expect([count(text, "\u001b[>1u"), count(text, "\u001b[<u")]).toEqual([2, 2]);
  });
});
