import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { SessionHeader, StoredEvent } from "@scorel/kernel";
import type { Store } from "@scorel/kernel/store";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Logs } from "@scorel/logs/contract";

const BATCH = 2 ** 20;
const DAY = 24 * 3600 * 1000;
const ENDING = ".importing";

/** Writes the log of a new session under a temporary name, and renames it once it is complete and synced. */
export class NewLog {
  private readonly path: string;
  private readonly final: string;
  private readonly store: Store;
  private records: string[] = [];
  private length = 0;

  constructor(logs: Logs, sessionsDir: string, header: SessionHeader) {
    makeFolder(sessionsDir);
    removeAbandoned(sessionsDir);
    this.final = join(sessionsDir, header.sessionId + logs.ending);
    this.path = join(sessionsDir, `${header.sessionId}${ENDING}`);
    this.store = logs.open(this.path, { create: header });
    this.store.open();
  }

  add(event: StoredEvent): void {
    const record = JSON.stringify(event);
    this.records.push(record);
    this.length += record.length;
    if (this.length > BATCH) this.write();
  }

  async finish(): Promise<void> {
    this.write();
    await this.store.sync();
    await this.store.close();
    fs.renameSync(this.path, this.final);
    const directory = fs.openSync(dirname(this.final), "r");
    fs.fsyncSync(directory);
    fs.closeSync(directory);
  }

  async discard(): Promise<void> {
    await this.store.close();
    fs.rmSync(this.path, { force: true });
  }

  private write(): void {
    this.store.append(this.records);
    this.records = [];
    this.length = 0;
  }
}

/** Removes files of killed imports after a day. */
function removeAbandoned(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    if (!name.endsWith(ENDING)) continue;
    const path = join(directory, name);
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > DAY) fs.rmSync(path, { force: true });
  }
}
