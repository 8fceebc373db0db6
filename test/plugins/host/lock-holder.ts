import { acquireLock } from "../../../plugins/host/storage/lock.ts";

/** Takes the lock named in its arguments once a line arrives, says how that went, and lives until it is killed. */
const [path = "", sessionId = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  try {
    acquireLock(path, sessionId);
    process.stdout.write("held\n");
  } catch (thrown) {
    process.stdout.write(`${(thrown as { code: string }).code}\n`);
  }
});
