import { acquireLock } from "../../../plugins/host/storage/lock.ts";

/**
 * Tries to take a lock after a line on stdin, prints the result, and runs until it is killed. Arguments: path, session.
 */
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
