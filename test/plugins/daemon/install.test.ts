import { expect, it } from "vitest";
import { launchdPlist, systemdUnit } from "../../../plugins/daemon/install.ts";

const command = ["/opt/my node/$bin/100%/node", '/home/anna "a"\\b/bin.js', "--port", "$HOME %h <&>"];

it("a unit of systemd takes quotes, spaces, backslashes, % and $ literally", () => {
  expect(/^ExecStart=(.*)$/m.exec(systemdUnit(command))?.[1]).toBe(
    String.raw`"/opt/my node/$bin/100%%/node" "/home/anna \"a\"\\b/bin.js" "--port" "$$HOME %%h <&>"`,
  );
});

it("a property list of launchd takes <, > and & literally", () => {
  expect(launchdPlist(command)).toContain("<string>$HOME %h &lt;&amp;&gt;</string>");
});
