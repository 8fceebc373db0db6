import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Overwrites the values of these variables in /proc/<pid>/environ, which other processes can read; `process.env` keeps
 * them. Does nothing on systems other than Linux or where the kernel forbids it.
 */
export function hideFromProc(names: readonly string[]): void {
  // A worker's process.env is a copy, while the main thread still reads the original block.
  if (process.platform !== "linux" || !isMainThread || names.length === 0) return;
  let memory: number | undefined;
  try {
    const { start, end } = blockOf(readFileSync("/proc/self/stat", "latin1"));
    if (!(end > start)) return;
    memory = openSync("/proc/self/mem", "r+");
    const block = Buffer.alloc(end - start);
    readSync(memory, block, 0, block.length, start);
    for (const name of names) hide(name, block, start, memory);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

/**
 * Finds the environment block: fields 50 and 51 of /proc/<pid>/stat. The fields are counted from after the program's name, which may
 * contain any characters.
 */
function blockOf(status: string): { start: number; end: number } {
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return { start: Number(fields[47]), end: Number(fields[48]) };
}

function hide(name: string, block: Buffer, start: number, memory: number): void {
  const value = process.env[name];
  if (!value) return;
  const entry = Buffer.from(`\0${name}=${value}\0`);
  const framed = Buffer.concat([Buffer.alloc(1), block]);
  const at = framed.indexOf(entry);
  if (at < 0) return;
  // Setting the variable again gives it new memory outside the block.
  process.env[name] = value;
  const length = Buffer.byteLength(value);
  const place = start + at + name.length + 1;
  writeSync(memory, Buffer.alloc(length, "x"), 0, length, place);
  if (process.env[name] !== value) writeSync(memory, Buffer.from(value), 0, length, place);
}
