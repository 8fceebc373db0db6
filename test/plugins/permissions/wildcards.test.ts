// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Post, post } from "./setup.ts";

/** A project with a link to home, where Scorel has its keys, and a folder beside the project. */
async function project(config: object): Promise<Post & { base: string }> {
  const t = await post(config);
  const base = join(t.dir, "..");
  for (const folder of [join(base, "beside"), join(t.home, ".scorel", "host")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(base, "beside", "a.pem"), "");
  writeFileSync(join(base, "beside", "run.sh"), "");
  writeFileSync(join(t.home, ".scorel", "host", "owner.token"), "");
  t.file("src/a.js");
  t.file("src/b.js");
  t.link("out", t.home);
  return Object.assign(t, { base });
}
const outcomes = async (t: Post, commands: readonly string[]) => {
  const found: Record<string, string> = {};
  for (const command of commands) found[command] = await t.bash(command);
  return found;
};
const all = (commands: readonly string[], outcome: unknown) =>
  Object.fromEntries(commands.map((command) => [command, outcome]));

/** Commands with wildcards that list names outside of the project, for programs that do not read the files. */
const outside = (base: string) => [
  ...[`echo ${base}/*`, `echo ${base}/.*`, `true ${base}/*`, `: ${base}/besid?/x`, `sleep 0 ${base}/.*`],
  ...[`printf "%s\\n" ${base}/beside/*`, `basename ${base}/*`, `dirname ${base}/nope*`, `seq ${base}/*`],
  ...[`tr a ${base}/*`, `date +%F ${base}/*`, `type ${base}/*`, `which ${base}/*`, `grep ${base}/* src/a.js`],
  ...["echo ../*", "echo src/../../*", "echo out/*", "echo out/nope*", "echo */nope*", "echo ou?/x", "echo */.config"],
  ...[`echo ${base}/besid[e]/*`, `echo {${base},src}/*`, `echo "${base}"/*`, "echo ~/*", "echo ~root/*"],
  ...[`a=(${base}/*)`, `for x in ${base}/*; do echo $x; done`, `case a in ${base}/*) echo;; esac`],
  ...[`[[ -e ${base}/* ]]`, `echo a < ${base}/besid*/run.sh`, `cd ${base} && echo *`, `ls src/* ${base}/*`],
  ...[`echo $(echo ${base}/*)`, `echo a | tr a ${base}/*`, `find . -name ${base}/*`, `stat -c ${base}/* src/a.js`],
];

describe("wildcards that the shell expands", () => {
  it.each(["ask", "edits", "plan"])(
    "outside of the project need approval, whatever gets the names, in the mode %s",
    async (mode) => {
      await using t = await project({ mode });
      const commands = outside(t.base);
      expect(await outcomes(t, commands)).toEqual(all(commands, expect.stringMatching(/^Denied: /)));
    },
  );

  it("are not covered by a rule for the program and for `cd`", async () => {
    await using t = await project({ mode: "ask", allow: ["Bash(echo *)", "Bash(cd *)"] });
    const commands = [`echo ${t.base}/*`, `cd ${t.base} && echo *`, "echo out/*"];
    expect(await outcomes(t, commands)).toEqual(all(commands, expect.stringMatching(/^Denied: /)));
  });

  it("inside of it do not, and neither do those that the shell does not expand", async () => {
    await using t = await project({ mode: "ask" });
    const commands = [
      ...[
        "echo *",
        "echo src/*",
        "printf '%s\\n' s*/*.js",
        "echo .*",
        "cd src && echo *",
        "echo src/nope*",
        "which src/*",
      ],
      ...[`echo '${t.base}/*'`, `echo "${t.base}/*"`, `echo ${t.base}/\\*`],
    ];
    expect(await outcomes(t, commands)).toEqual(all(commands, "runs"));
  });

  it.each(["ask", "full"])("inside of ~/.scorel are refused in the mode %s", async (mode) => {
    await using t = await project({ mode });
    const commands = [
      ...[
        `echo ${t.home}/.scorel/host/*`,
        "echo ~/.scorel/host/*",
        "true $HOME/.scorel/*",
        "echo out/.scorel/host/nope*",
      ],
      ...[
        "printf %s out/.scorel/host/*",
        "echo */.scorel/host/*",
        "echo ~/.sco[r]el/host/*",
        "echo {~/.scorel/host,src}/*",
      ],
      ...["d=~/.scorel/host; echo $d/*", "cd ~/.scorel/host && echo *", "for x in ~/.scorel/host/*; do echo $x; done"],
      ...["a=(~/.scorel/host/*)", "ls ~/.scorel/ho?t", "bash -c 'echo ~/.scorel/host/*'"],
    ];
    expect(await outcomes(t, commands)).toEqual(all(commands, expect.stringMatching(/^Denied: .*Scorel's own keys/)));
  });

  it("in a folder that a rule hides are refused", async () => {
    await using t = await project({ mode: "full", deny: ["Read(secrets/**)"] });
    t.file("secrets/a");
    const commands = ["echo secrets/*", "true secrets/nope*", "echo ./secrets/*"];
    expect(await outcomes(t, commands)).toEqual(
      all(commands, expect.stringMatching(/^Denied: it lists .*the rule "Read\(secrets\/\*\*\)" denies it/)),
    );
  });

  it("are named in answers as they are written", async () => {
    await using t = await project({ mode: "full", deny: ["Read(secrets/**)"] });
    t.file("secrets/a");
    const kept = "usually contains keys or passwords";
    const { base } = t;
    expect(
      await outcomes(t, [`cat ${base}/besid*/*.p?m`, `grep -r x ${base}/besid*`, "cat secre*/*", "cat ~/.sc*/host/*"]),
    ).toEqual({
      [`cat ${base}/besid*/*.p?m`]: expect.stringContaining(`: ${base}/besid*/*.p?m ${kept}`),
      [`grep -r x ${base}/besid*`]: expect.not.stringContaining("beside"),
      "cat secre*/*": expect.stringContaining(': it reads secre*/*, and the rule "Read(secrets/**)" denies it'),
      "cat ~/.sc*/host/*": expect.stringContaining(": ~/.sc*/host/* contains Scorel's own keys"),
    });
  });
});

it("looking for a program at a path outside of the project needs approval", async () => {
  await using t = await project({ mode: "ask" });
  const { base } = t;
  const commands = [
    ...[
      `which ${base}/beside/run.sh`,
      "which ../beside/run.sh",
      "which out/x",
      "which -a ls ../nope",
      `type ${base}/nope`,
    ],
    ...[`type -p ${base}/beside/run.sh`, `command -v ${base}/beside/run.sh`, "which ~/nope", "cd src && which ../../x"],
  ];
  expect(await outcomes(t, commands)).toEqual(all(commands, expect.stringMatching(/^Denied: /)));
  const free = ["which node", "type -a ls", "which src/a.js", "type ./src/a.js"];
  expect(await outcomes(t, free)).toEqual(all(free, "runs"));
});
