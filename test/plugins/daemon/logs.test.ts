import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { logsCommand } from "../../../plugins/daemon/commands.ts";
import { logFile, runFolder } from "../../../plugins/daemon/run-folder.ts";
import { inOwnFolder } from "../../../plugins/kit/files/state-folder.ts";
import { testHome } from "../host/home.ts";

/** Returns the output of `scorel host logs` for a log with this content. */
function shown(log: string, lines = "100"): string {
  using home = testHome();
  process.env.HOME = home.home;
  inOwnFolder(runFolder(), () => {});
  writeFileSync(logFile(), log, { mode: 0o600 });
  let printed = "";
  logsCommand({ options: { lines }, stdout: { write: (text: string) => (printed += text) } } as never);
  return printed;
}

it("the host's log is shown without characters that control the terminal, since anything may have written to it", () => {
  expect(shown("one\n\u001b]0;title\u0007\u001b[31mtwo\u001b[0m\tthree\n")).toBe("one\ntwo\tthree\n");
});

it("the end of the host's log is shown even if its last line is not complete, as after a crash", () => {
  expect([shown("one\ntwo\nthr", "2"), shown("one\ntwo\n", "1")]).toEqual(["two\nthr\n", "two\n"]);
});
