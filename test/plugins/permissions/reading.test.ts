// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are commands of a shell
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keys, naming as namingInside, showing, silent } from "./read-commands.ts";
import { type Post, post } from "./setup.ts";

const first = async (outcome: Promise<string>) => (await outcome).split(":")[0];
const read = (t: Post, file_path: string) => first(t.judge("Read", { file_path }));
/** A file below the folder with project, home and temp. */
function beside(t: Post, name: string, content = "text\n"): string {
  const path = join(t.dir, "..", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
/** A project with secret files, and rules that deny reading them. */
async function withSecrets(config: object = {}): Promise<Post> {
  const t = await post({ deny: ["Read(secrets/**)"], ...config });
  t.file("secrets/a", "hunter2\n");
  t.file("src/a", "text\n");
  t.file("src/b", "text\n");
  t.link("open", "secrets");
  return t;
}
const outcomes = async (t: Post, commands: readonly string[]) => {
  const found: [string, string | undefined][] = [];
  for (const command of commands) found.push([command, await first(t.bash(command))]);
  return found;
};
const all = (commands: readonly string[], outcome: string) => commands.map((command) => [command, outcome]);

/** The reason in the body of a question. */
const why = (body: readonly object[] = []) =>
  (body.at(-1) as { text?: string }).text?.replace("Why you are asked: ", "");

describe("a file with a deny rule for reading", () => {
  it("cannot be read through a link to a folder around it, by a command that follows links", async () => {
    await using t = await withSecrets({ mode: "full" });
    t.file("docs/a", "text\n");
    t.link("docs/up", "..");
    const commands = [
      "diff -rN docs src",
      "grep -R x docs",
      "zip -r out.zip docs",
      "cp -rL docs out",
      "tar -chf - docs",
    ];
    expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
  });

  it("cannot be read by a search through the folders around it, however the search is asked for", async () => {
    await using t = await withSecrets({ mode: "full" });
    const options = ["-r", "-R", "--rec", "--deref", "-d recurse", "-nd recurse", "-drecurse", "--dir=rec", "{-r,-n}"];
    const commands = [...options.map((option) => `grep ${option} x .`), "cp --arch . ../copy", "cp --rec . ../copy"];
    expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
  });

  it("cannot be read by any tool, under any name", async () => {
    await using t = await withSecrets({ mode: "full" });
    for (const path of ["secrets/a", "./src/../secrets/a", "open/a", "SECRETS/a", `${t.dir}/secrets/a`, "secrets"])
      expect([path, await read(t, path)]).toEqual([path, "Denied"]);
    expect(await first(t.judge("Grep", { pattern: "x", path: "secrets" }))).toBe("Denied");
    expect(await first(t.judge("Glob", { pattern: `${t.dir}/secrets/*` }))).toBe("Denied");
    expect(await first(t.judge("Glob", { pattern: "*", path: "open" }))).toBe("Denied");
    const staged = { skill: "x", command: "cat work/inputs/a", inputs: [{ from: `host://${t.dir}/open/a` }] };
    expect(await first(t.judge("skill_run", staged))).toBe("Denied");
    expect(await read(t, "src/a")).toBe("runs");
  });

  const naming = [
    ...[
      "cat secrets/a",
      "cat < secrets/a",
      "sort secrets/a",
      "head -n1 ./secrets/a",
      "cat open/a",
      "cat src/../secrets/a",
    ],
    ...[
      "diff src/a secrets/a",
      "grep -f secrets/a src/a",
      "wc -l <secrets/a",
      "cd secrets && cat a",
      "(cd open; cat a)",
    ],
    ...["ls secrets", "find secrets -type f", "cat 'secrets/a'", "cat sec\\rets/a", "cat $PWD/secrets/a"],
    ...["cp secrets/a b", "tar cf x.tar secrets", "git show HEAD:secrets/a", "curl -d @secrets/a http://127.0.0.1"],
    ...[
      "dd if=secrets/a",
      "bash -c 'cat secrets/a'",
      "python3 -c \"print(open('secrets/a').read())\"",
      "x=secrets/a; cat $x",
    ],
    ...["cat SECRETS/A", "base64 --wrap=0 secrets/a", "cat <<E\n$(cat secrets/a)\nE", "echo secrets/a | xargs cat"],
    ...[
      "ln -s secrets pub",
      "cat file://$PWD/secrets/a",
      "git -C secrets log",
      "node <<E\nfs.readFileSync('secrets/a')\nE",
    ],
  ];
  it("cannot be named in a command, in any mode", async () => {
    await using full = await withSecrets({ mode: "full" });
    expect(await outcomes(full, naming)).toEqual(all(naming, "Denied"));
    await using edits = await withSecrets({ allow: ["Bash"] });
    expect(await outcomes(edits, naming)).toEqual(all(naming, "Denied"));
  });

  const reaching = [
    ...[
      "grep -r hunter .",
      "grep -rn hunter",
      "grep -R hunter src/..",
      "diff -r . src",
      "rg hunter",
      "cat */a",
      "cat sec*/a",
    ],
    ...["tar cf - . | cat", "cp -r . /tmp/x", "ls -R", "find . -type f", "git grep hunter", "cat $(printf sec)rets/a"],
    ...[
      "cat $X",
      "for f in */a; do cat $f; done",
      "find . -type f | xargs cat",
      "cat ?ecrets/a",
      "cat {secrets,src}/a",
    ],
    ...["eslint .", "rsync -a ./ host:", "zip -r x.zip .", "awk 1 */*", "find . -exec cat {} +"],
  ];
  it("cannot be reached by a command that walks, or may walk, folders", async () => {
    await using full = await withSecrets({ mode: "full" });
    expect(await outcomes(full, reaching)).toEqual(all(reaching, "Denied"));
    await using edits = await withSecrets({ allow: ["Bash"] });
    expect(await outcomes(edits, reaching)).toEqual(all(reaching, "Denied"));
  });

  it("cannot be shown by git", async () => {
    await using t = await withSecrets({ mode: "full" });
    expect(await outcomes(t, showing)).toEqual(all(showing, "Denied"));
    expect(await outcomes(t, silent)).toEqual(all(silent, "runs"));
  });

  it("cannot be named inside another word", async () => {
    await using t = await withSecrets({ mode: "full" });
    const commands = namingInside.map((command) => command.replaceAll("@DIR@", t.dir));
    expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
  });

  it("does not affect other commands", async () => {
    const others = [
      ...[
        "cat src/a",
        "grep -rn text src",
        "ls",
        "ls -la .",
        "wc -l src/a < src/b",
        "diff src/a src/b",
        "pwd",
        "git status",
      ],
      ...[
        "npm test",
        "git commit -m 'tell of it'",
        "echo $?",
        "echo a > src/c",
        "cd src && cat a",
        "mkdir -p out",
        "cat src/*",
      ],
      ...[
        "sed -n 1,20p src/a",
        "sed -i 's/read/write/; s/r x/w y/' src/a",
        "awk -F: '{ print $1 }' src/a",
        "date '+%Y'",
        "python3 -c 'print(1 + 1)'",
        "python3 src/a",
        "node src/a",
        "date -u -d yesterday",
        "curl -s 'https://example.com/a%20b?x={1}'",
        "curl -s https://example.com -o out.html",
        "gcc -Wall -Iinclude -c src/a.c",
        "jq '.a | .b' src/a",
        "echo text | tee out/c",
      ],
    ];
    await using t = await withSecrets({ mode: "full" });
    expect(await outcomes(t, others)).toEqual(all(others, "runs"));
  });

  it("may be named by an absolute path that begins with two slashes, as in Claude Code", async () => {
    await using other = await post();
    const folder = join(other.dir, "..");
    await using t = await post({ mode: "full", deny: [`Read(/${folder}/**)`] });
    const closed = beside(other, "closed");
    expect([await read(t, closed), await read(t, t.file("open"))]).toEqual(["Denied", "runs"]);
  });

  it("is not meant by braces that the shell does not expand", async () => {
    await using t = await withSecrets({ mode: "full", deny: ["Read(.env)"] });
    t.file(".env", "API_KEY=abcdefgh12345678\n");
    const others = [
      "curl -w %{http_code} localhost",
      "git rev-parse HEAD@{1}",
      "kubectl get pods -o jsonpath={.items}",
    ];
    expect(await outcomes(t, others)).toEqual(all(others, "runs"));
    const naming = ["cat .e{nv,x}", "cat .{d..f}nv", "cat .{env,{a}}", 'cat .{e"n"v,x}'];
    expect(await outcomes(t, naming)).toEqual(all(naming, "Denied"));
  });

  it("is left out by Grep and Glob, which still return other files", async () => {
    await using t = await withSecrets({ mode: "full" });
    t.file("src/c", "hunter3\n");
    expect(await t.say("Grep", { pattern: "hunter" })).toBe("[1 match]\nsrc/c\n1:hunter3");
    expect(await t.say("Grep", { pattern: "hunter", mode: "count" })).toBe("[1 file]\nsrc/c:1");
    expect(await t.say("Grep", { pattern: "hunter", multiline: true, glob: "**/*" })).toBe(
      "[1 match]\nsrc/c\n1:hunter3",
    );
    expect(await t.say("Glob", { pattern: "**/a" })).toBe("[1 file]\nsrc/a");
  });

  it("asks when the rule asks", async () => {
    await using t = await withSecrets({ mode: "full", deny: [], ask: ["Read(secrets/**)"] });
    await t.request("attend_requests", {});
    const asked = t.bash("cat secrets/a");
    const { requestId, body } = await t.question();
    await t.request("answer_request", { requestId, answer: "y" });
    expect([why(body), await asked]).toEqual([
      'it reads secrets/a, and the rule "Read(secrets/**)" asks for approval',
      "runs",
    ]);
    expect(await t.say("Grep", { pattern: "hunter" })).toBe("[no matches]");
  });
});

describe("reading outside of the project", () => {
  it("asks, except for the temporary folder, configured paths and system files", async () => {
    await using t = await post({ mode: "ask", read: ["~/notes", "~/docs/*.md"] });
    beside(t, "home/notes/deep/a");
    for (const path of ["../other/a", "/etc/hostname", "~/a", "~/docs/a.txt", "~/docs/deep/a.md"])
      expect([path, await read(t, path)]).toEqual([path, "Denied"]);
    for (const path of ["src/a", "../temp/a", "~/notes/deep/a", "~/docs/a.md", "/usr/include/stdio.h", "/bin/sh"])
      expect([path, await read(t, path)]).toEqual([path, "runs"]);
    expect(await t.judge("Read", { file_path: "../other/a" })).toBe(
      `Denied: ${join(t.dir, "../other/a")} is outside of the project, and nobody is there to ask. Do not work around this. Continue without it, or explain why you need it.`,
    );
  });

  it.each(["ask", "edits", "plan"])("asks in mode %s with any tool", async (mode) => {
    await using t = await post({ mode });
    beside(t, "other/a");
    t.link("out", "../other");
    expect(await read(t, "out/a")).toBe("Denied");
    expect(await first(t.judge("Grep", { pattern: "x", path: ".." }))).toBe("Denied");
    expect(await first(t.judge("Glob", { pattern: "../other/*" }))).toBe("Denied");
    expect(await first(t.judge("Glob", { pattern: "*", path: "/" }))).toBe("Denied");
    expect(await first(t.judge("Grep", { pattern: "x", path: "src/../.." }))).toBe("Denied");
  });

  it("is free in mode full", async () => {
    await using t = await post({ mode: "full" });
    expect(await read(t, "../other/a")).toBe("runs");
  });

  it("is not what a link without a target is, for which no rule is offered", async () => {
    await using t = await post({ mode: "ask" });
    await t.request("attend_requests", {});
    t.file("odd/a", "");
    // Read from its own folder, this names "odd/odd/loop".
    t.link("odd/loop", "odd/loop");
    const asked = t.judge("Read", { file_path: "odd/loop" });
    const { requestId, body, data } = await t.question();
    expect([why(body), data]).toMatchObject(["odd/loop leads to no file that can be read", { rules: [] }]);
    await t.request("answer_request", { requestId, answer: "n" });
    expect((await asked).split(":")[0]).toBe("Denied");
  });

  it("gets no rule if it is a folder around the project, since that would also allow what is beside it", async () => {
    await using t = await post({ mode: "ask" });
    await t.request("attend_requests", {});
    const asked = t.judge("Grep", { pattern: "x", path: ".." });
    const { requestId, data } = await t.question();
    expect(data).toMatchObject({ rules: [] });
    await t.request("answer_request", { requestId, answer: "n" });
    expect((await asked).split(":")[0]).toBe("Denied");
  });

  it("is allowed by a rule for the file, as saved by the answer always", async () => {
    await using t = await post({ mode: "ask" });
    await t.request("attend_requests", {});
    const path = beside(t, "other/a");
    const asked = t.judge("Read", { file_path: "../other/a" });
    const { requestId, body, data } = await t.question();
    expect([why(body), data]).toMatchObject([`${path} is outside of the project`, { rules: [`Read(${path})`] }]);
    await t.request("answer_request", { requestId, answer: "s" });
    expect(await asked).toBe("runs");
    expect(await read(t, path)).toBe("runs");
  });
});

describe("files that hold keys", () => {
  const named = [
    ...[
      "~/.ssh/id_ed25519",
      "~/.aws/credentials",
      "~/.netrc",
      "~/.kube/config",
      "~/.docker/config.json",
      "~/.config/gh/hosts.yml",
    ],
    ...[
      "~/.config/gcloud/credentials.db",
      "/etc/shadow",
      "tls/server.pem",
      "id_rsa",
      "/proc/self/environ",
      "/proc/1/environ",
    ],
    ...["/proc/self/fd/3", "/dev/fd/0", "/root/.ssh/id_rsa", "~/.ssh", "~/.SSH/id_rsa", "~/.git-credentials"],
  ];
  it("ask in every mode", async () => {
    for (const mode of ["ask", "edits", "plan", "full"]) {
      await using t = await post({ mode, allow: ["Read", "Read(**)", "Read(/**)", "Bash"], read: ["/", "~"] });
      mkdirSync(join(t.home, ".ssh"));
      for (const path of named) expect([mode, path, await read(t, path)]).toEqual([mode, path, "Denied"]);
    }
  });

  it("make a command that names them ask", async () => {
    await using t = await post({ mode: "full" });
    t.file("tls/server.pem", "-----BEGIN\n");
    t.file(".env", "API_KEY=x\n");
    t.file("src/a", "a\n");
    t.link("link", "tls/server.pem");
    const commands = [
      ...[
        "cat ~/.ssh/id_ed25519",
        "cat $HOME/.aws/credentials",
        "cat < tls/server.pem",
        "cat link",
        "cd ~/.ssh && cat x",
      ],
      ...[
        "cat ~/.s''sh/id_rsa",
        "cp ~/.netrc .",
        "cat ~/.ssh/*",
        "grep -r x ~/.ssh",
        "tar c ~",
        "cat /proc/self/root/etc/shadow",
      ],
      ...[
        "cat tls/../tls/server.pem",
        "cat /proc/self/environ",
        "cat ~/.config/../.aws/credentials",
        "cat *.pem",
        "cat tls/*.pem",
      ],
      ...[
        "python3 -c \"open('/etc/shadow')\"",
        "env -C ~/.ssh cat id_rsa",
        "curl -F x=@tls/server.pem http://127.0.0.1",
      ],
    ];
    expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
    const tricks = [
      ...[
        "cat $'/etc/shadow'",
        "cat $'\\x2fetc/sh\\141dow'",
        "cat ${HOME:-x}/.ssh/id",
        "d=.ssh; cat ~/$d/config",
        "cat ~+/tls/server.pem",
      ],
      ...[
        "cd src; cat $OLDPWD/.env",
        'cd src; cat "${OLDPWD}/.env"',
        "cd src; cat ~-/.env",
        "pushd src; cat ~1/.env",
        "cd src; cat < ~-/.env",
      ],
      ...[
        "tail /proc/$$/environ",
        "cat /proc/$PPID/environ",
        "echo /etc/shadow | xargs cat",
        "cat $(echo ~/.ssh/config)",
        "echo $(<~/.netrc)",
      ],
      ...[
        "for f in ~/.ssh/config; do cat $f; done",
        "a=(~/.netrc); cat ${a[0]}",
        "exec 3<~/.netrc; cat <&3",
        "cat ~/.ssh/{config,x}",
      ],
      ...[
        "while read f; do cat $f; done <<< ~/.netrc",
        "ln -s ~/.ssh x",
        "mv ~/.netrc x",
        "find ~ -name id_rsa -exec cat {} +",
      ],
      ...[
        "git commit -F ~/.netrc",
        "git diff --no-index /dev/null ~/.netrc",
        "tar c -C ~ .ssh",
        "cd; cat .netrc",
        "sudo cat /etc/shadow",
      ],
      ...[
        "node -p \"fs.readFileSync(process.env.HOME + '/.ssh/config')\"",
        "f() { cat ~/.netrc; }; f",
        "cat ~/.ss?/id_rsa",
      ],
    ];
    expect(await outcomes(t, tricks)).toEqual(all(tricks, "Denied"));
    const others = [
      "ls ~/.ssh",
      "test -f ~/.netrc",
      "git commit -m 'renew server.pem'",
      "cat ~/.ssh.md",
      "rm tls/server.pem",
    ];
    expect(await outcomes(t, others)).toEqual(all(others, "runs"));
  });

  it("make a command ask that hides their name in another word, even if a rule allows the program", async () => {
    const programs = ["curl", "awk", "date", "sed", "xargs", "cat", "gcc", "git"].map((name) => `Bash(${name} *)`);
    for (const config of [{ mode: "full" }, { mode: "edits", allow: programs }]) {
      await using t = await post(config);
      const commands = keys.map((command) => command.replaceAll("@HOME@", t.home));
      expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
    }
  });

  it("can be read with an explicit rule, and are not searched otherwise", async () => {
    await using t = await post({ mode: "full", allow: ["Read(tls/server.pem)", "Read(~/.aws/config)"] });
    t.file("tls/server.pem", "needle\n");
    t.file("tls/other.pem", "needle\n");
    expect(await t.say("Grep", { pattern: "needle" })).toBe("[1 match]\ntls/server.pem\n1:needle");
    expect(await read(t, "tls/server.pem")).toBe("runs");
    expect(await t.bash("cat ~/.aws/config")).toBe("runs");
    expect(await read(t, "tls/other.pem")).toBe("Denied");
  });

  it("count a .env only when a variable with a secret name has a value, and never a template", async () => {
    await using t = await post({ mode: "full" });
    t.file(".env", "PORT=3000\nAPI_KEY=\n# TOKEN=old\nAUTHOR=me\nKEYBOARD=us\n");
    t.file(".env.example", "API_KEY=your-key\n");
    expect(await Promise.all([".env", ".env.example"].map((name) => read(t, name)))).toEqual(["runs", "runs"]);
    const secrets = [
      "OPENAI_API_KEY=sk-x",
      "export DB_PASSWORD='x'",
      "EXPORT DB_PASSWORD=x",
      "A=1\rDB_PASSWORD=x\rB=2",
      "A=1\u2028DB_PASSWORD=x",
      "A=1\u2029DB_PASSWORD=x",
      "  Auth_Token = x",
      "URL=postgres://me:x@host/db",
    ];
    for (const name of [".env", ".env.local", "prod.env"])
      for (const secret of secrets) {
        t.file(name, `PORT=3000\r\n${secret}\r\n`);
        expect([name, secret, await read(t, name), await first(t.bash(`cat ${name}`))]).toEqual([
          ...[name, secret, "Denied", "Denied"],
        ]);
      }
  });

  it("count a .npmrc only when it holds a token", async () => {
    await using t = await post({ mode: "edits" });
    t.file(".npmrc", "save-exact=true\n");
    expect([await read(t, ".npmrc"), await t.bash("cat .npmrc")]).toEqual(["runs", "runs"]);
    t.file(".npmrc", "//packages.example/:_authToken=x\n");
    expect([await read(t, ".npmrc"), await first(t.bash("cat .npmrc"))]).toEqual(["Denied", "Denied"]);
  });

  it("of Scorel itself are never read, even with approval", async () => {
    await using t = await post({ mode: "full", allow: ["Read(~/.scorel/auth.json)", "Bash"], read: ["~/.scorel"] });
    await t.request("attend_requests", {});
    const path = beside(t, "home/.scorel/auth.json", "{}");
    symlinkSync(path, join(t.dir, "innocent"));
    for (const name of ["~/.scorel/auth.json", path, "innocent", "../home/.scorel/auth.json"])
      expect([name, await t.judge("Read", { file_path: name })]).toEqual([
        name,
        expect.stringMatching(/^Denied: .*auth\.json contains Scorel.s own keys/),
      ]);
    const commands = [
      "cat ~/.scorel/auth.json",
      "cat innocent",
      "cd ~/.scorel; cat *",
      "grep -r x ~/.scorel",
      "cp ~/.scorel/auth.json x",
    ];
    expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
  });

  const own = [
    "host/owner.token",
    "host/owner.curlrc",
    "host/tokens.json",
    "run/host.sock",
    "cache.key",
    "auth.json.tmp",
    "logins/mcp.json",
  ];
  it("include the host's tokens and sockets, whoever reads them and wherever the session works", async () => {
    for (const mode of ["ask", "edits", "full"]) {
      await using t = await post({ mode, allow: ["Read", "Bash", ...own.map((name) => `Read(~/.scorel/${name})`)] });
      for (const name of own) beside(t, `home/.scorel/${name}`, "scorel_x\n");
      t.link("host", join(t.home, ".scorel/host"));
      await t.request("attend_requests", {});
      const [token] = own as [string];
      for (const path of [...own.map((name) => `~/.scorel/${name}`), "host/owner.token", `~/.SCOREL/${token}`])
        expect([path, await t.judge("Read", { file_path: path })]).toEqual([
          path,
          expect.stringMatching(/^Denied: .* contains Scorel.s own keys/),
        ]);
      const commands = [
        ...["cut -c5- host/owner.token", "tail -c 40 ~/.scorel/host/owner.token", "cat < host/owner.token"],
        ...["cat ~/.scorel/host/owner.token | base64", "rev host/*.token", "grep -r . host", "od -c ~/.scorel/h*/o*"],
        ...["cd ~/.scorel/host; sed -n p owner.token", "find ~/.scorel -name '*.token' -exec cut -c2- {} +"],
        ...[
          "find host/ -type f -exec cat {} ';'",
          "tar c ~/.scorel",
          "curl -K ~/.scorel/host/owner.curlrc http://127.0.0.1",
        ],
        ...["curl --unix-socket ~/.scorel/run/host.sock http://x", "ln ~/.scorel/host/owner.token x", "rg . ~/.scorel"],
        ...[
          "git diff --no-index /dev/null host/owner.token",
          "git hash-object -w host/owner.token",
          "diff /dev/null host/",
        ],
        ...["cp -r ~/.scorel x", "python3 -c 'print(open(\"host/owner.token\").read())'", "base64 host/owner.token"],
      ];
      expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
    }
  });

  it("are known by their real path when ~/.scorel is a link", async () => {
    await using t = await post({ mode: "full" });
    const path = beside(t, "dotfiles/host/owner.token", "scorel_x\n");
    symlinkSync(dirname(dirname(path)), join(t.home, ".scorel"));
    expect([await read(t, path), await first(t.bash(`cut -c5- ${path}`))]).toEqual(["Denied", "Denied"]);
    expect(await first(t.bash(`grep -r x ${dirname(dirname(path))}`))).toBe("Denied");
  });
});

describe("records of Scorel", () => {
  const records = ["sessions/a.jsonl", "blobs/ab/abc", "trust.json", "projects.json", "projects/p.toml", "new/kind"];

  it("ask in every mode, and what a person writes there only outside of the project", async () => {
    for (const mode of ["ask", "edits", "full"]) {
      await using t = await post({ mode, allow: ["Bash", "Read(~/.scorel/sessions/b.jsonl)"], read: ["~/.scorel"] });
      for (const name of [...records, "sessions/b.jsonl", "config.toml", "extensions/a.ts", "AGENTS.md"])
        beside(t, `home/.scorel/${name}`);
      for (const name of records) expect([name, await read(t, `~/.scorel/${name}`)]).toEqual([name, "Denied"]);
      const commands = records.flatMap((name) => [`cut -c1- ~/.scorel/${name}`, `cd ~/.scorel; tail ${name}`]);
      expect(await outcomes(t, commands)).toEqual(all(commands, "Denied"));
      for (const name of ["sessions/b.jsonl", "config.toml", "extensions/a.ts", "AGENTS.md"])
        expect([name, await read(t, `~/.scorel/${name}`)]).toEqual([name, "runs"]);
      expect(await first(t.bash("ls ~/.scorel/sessions"))).toBe("runs");
    }
  });

  it("are not searched in a home that is the project", async () => {
    await using t = await post({ mode: "full" });
    for (const name of ["sessions/a.jsonl", "host/owner.token", "extensions/a.ts"])
      beside(t, `home/.scorel/${name}`, "needle\n");
    const found = await t.say("Grep", { pattern: "needle", path: "~/.scorel", hidden: true, mode: "files" });
    expect(found).toMatch(/extensions\/a\.ts/);
    expect(found).not.toMatch(/owner|jsonl/);
    expect(await t.say("Glob", { pattern: "**/*.token", path: "~/.scorel" })).not.toContain("owner");
  });
});

describe("a hidden file with a deny rule for reading", () => {
  it("is protected when the shell lets wildcards match hidden files", async () => {
    await using t = await post({ mode: "full", deny: ["Read(.env)"] });
    t.file(".env", "hunter2\n");
    t.file("a", "text\n");
    const switched = [
      "shopt -s dotglob; cat *",
      "shopt -s extglob dotglob && cat *",
      "bash -O dotglob -c 'cat *'",
      "bash +O nullglob -O dotglob -c 'cat *'",
      "set -o globdots; cat *",
      "setopt globdots; cat *",
      "zsh -o globdots -c 'cat *'",
      "zsh -o GLOB_DOTS -c 'cat *'",
      "zsh -c 'cat *(D)'",
      "GLOBIGNORE=x; cat *",
      "BASHOPTS=dotglob bash -c 'cat *'",
      "x=dotglob; shopt -s $x; cat *",
    ];
    expect(await outcomes(t, switched)).toEqual(all(switched, "Denied"));
    const plain = ["cat *", "shopt -s nullglob; cat *"];
    expect(await outcomes(t, plain)).toEqual(all(plain, "runs"));
  });
});

it("a file is judged by where its links lead, and one that does not exist by its name", async () => {
  await using t = await post({ mode: "ask" });
  const outside = beside(t, "outside.txt");
  t.link("out", outside);
  t.file("a");
  t.link("in", "a");
  expect([await read(t, "in"), await read(t, "missing"), await read(t, "out"), await read(t, outside)]).toEqual([
    ...["runs", "runs", "Denied", "Denied"],
  ]);
  expect(await t.judge("Read", { file_path: "out" })).toContain(`${outside} is outside of the project`);
});
