/** Removes the sockets that killed processes have left, after a line on stdin, and prints the problems as JSON. */

import { removeLeftSockets } from "../../../plugins/daemon/left-sockets.ts";

process.stdin.once("data", () => {
  const problems: string[] = [];
  removeLeftSockets((thrown) => void problems.push(String(thrown)));
  process.stdout.write(`${JSON.stringify(problems)}\n`);
  process.stdin.destroy();
});
process.stdout.write("ready\n");
