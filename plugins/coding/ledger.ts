import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "@scorel/kernel";
import { endTree, identityOf, type ProcessIdentity, placeOf } from "@scorel/sandbox/processes";

/** Where the ledgers of a user's sessions are; the manifest looks there too. */
export function ledgerFolder(home: string): string {
  return join(home, ".scorel", "processes");
}

/** A command that was left running in the background, as it is kept on disk. */
interface Row extends ProcessIdentity {
  mark: string;
}
interface Page {
  /** The scorel process that started them. */
  owner: ProcessIdentity;
  boot: string;
  space: string;
  commands: Row[];
}

/**
 * Which commands a session has in the background, on disk, so that the next start can end those that a killed
 * process left behind. What cannot be written is told to `report` and keeps nobody from working.
 */
export class Ledger {
  private readonly folder: string;
  private readonly path: string;
  private readonly report: (thrown: unknown) => void;
  private readonly commands: Row[] = [];

  constructor(folder: string, sessionId: string, report: (thrown: unknown) => void) {
    this.folder = folder;
    this.path = join(folder, `${sessionId}.json`);
    this.report = report;
  }

  add(pid: number, mark: string): void {
    this.commands.push({ ...identityOf(pid), mark });
    const page: Page = { owner: identityOf(process.pid), ...placeOf(), commands: this.commands };
    const temporary = `${this.path}.${newId()}.tmp`;
    this.attempt(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, JSON.stringify(page), { flag: "wx", mode: 0o600 });
      renameSync(temporary, this.path);
    });
  }

  /** All of them have ended. */
  clear(): void {
    if (this.commands.length > 0) this.attempt(() => rmSync(this.path, { force: true }));
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.report(thrown);
    }
  }
}

/** Ends what processes that were killed left running, where it is proved to be theirs. Costs one look when there is none. */
export async function endSurvivors(folder: string, report: (thrown: unknown) => void): Promise<void> {
  await Promise.all(
    namesIn(folder).map(async (name) => {
      try {
        await settle(join(folder, name));
      } catch (thrown) {
        report(thrown);
      }
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return []; // Nothing was ever run in the background.
  }
}

async function settle(path: string): Promise<void> {
  const page = JSON.parse(readFileSync(path, "utf8")) as Page;
  const { boot, space } = placeOf();
  // Numbers of another container say nothing here.
  if (page.space !== space) return;
  if (page.boot === boot) {
    if (isSame(page.owner)) return;
    await Promise.all(page.commands.map((row) => endTree(isSame(row) ? row.pid : undefined, row.mark)));
  }
  rmSync(path, { force: true });
}

/** The very process, and not another one that got its number; in doubt it is another. */
function isSame({ pid, start }: ProcessIdentity): boolean {
  return start !== "" && identityOf(pid).start === start;
}
