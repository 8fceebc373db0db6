import { expect, it } from "vitest";
import { post } from "./setup.ts";

/** The commands that a wildcard rule for their own program covers. */
async function coveredOf(commands: readonly string[]): Promise<string[]> {
  const programs = new Set(commands.map((command) => command.split(" ")[0]));
  await using t = await post({ allow: [...programs].map((program) => `Bash(${program} *)`) });
  const covered: string[] = [];
  for (const command of commands) if ((await t.bash(command)) === "runs") covered.push(command);
  return covered;
}

it("a wildcard covers no option by which a known program runs another one", async () => {
  const commands = [
    ...["view '+!touch x' +q f", "view -c '!touch x' f", "rview +x f", "rvim -c x", "vimdiff +x a b", "vim +x f"],
    ...["gvim -c x", "nvim +x", "nvimdiff -c x a b", "ex -c x", "nano -s x f"],
    ...[
      "dpkg --pre-invoke=x -i y",
      "dpkg --pre-inv=x -i y",
      "dpkg --post-invoke x -i y",
      "dpkg --status-logger=x -i y",
    ],
    ...[
      "apt -o A=x install y",
      "apt-get -oDPkg::Pre-Invoke::=x update",
      "apt-get -c x update",
      "rpm -E x",
      "rpm --pipe x",
    ],
    ...["install --strip-program=./mytool -s a b", "install --strip-prog ./mytool -s a b", "tcpdump -z x -w y"],
    ...["ip netns e n touch x", "ip vrf exec n touch x", "ip -all net exec x", "iptables --modprobe=x -L"],
    ...["nc -e x y", "nc -lc x", "socat - EXEC:x", "pandoc --filter x y", "aria2c --on-download-complete=x y"],
    ...["cpio --rsh-command=x", "fzf --preview x", "mvn -Dexec.executable=x exec:exec", "hg --config alias.x=y z"],
    ...["gem --exec x", "brew exec x", "conda run x", "pdm run x", "nvm exec x", "volta run x"],
  ];
  expect(await coveredOf(commands)).toEqual([]);
});

it("a wildcard covers no argument of programs that start others", async () => {
  const starts =
    "setpriv,prlimit,choom -n 0 --,unbuffer,systemd-inhibit,systemd-cat,perf stat,valgrind,hyperfine,fakeroot,proot," +
    "numactl -C 0,cpulimit -l 9 --,faketime x,dumb-init,sshpass -p x,rr,bwrap --bind / /,run0,nix shell x -c,script -c,genv,run-parts";
  expect(await coveredOf(starts.split(",").map((start) => `${start} ./x`))).toEqual([]);
});

it("a wildcard for an unknown program covers no option that looks as if it ran something", async () => {
  const words =
    "-c x,-e x,-xc x,-ce x,-ec x,-cx,-c/x,-ctouch x,-epython3 x,-cmake,-cmy-tool.sh,-e'touch x',--run x,--run=x,--pre-run=x,--exec=x,--pre-invoke=x,--command x,--cmd=x," +
    "--on-error-cmd=x,--program x,--callback=x,-exec x,exec x,eval x,shell";
  expect(await coveredOf(words.split(",").map((word) => `./mytool ${word}`))).toEqual([]);
});

it("a wildcard covers no word that names a control folder or a parent folder anywhere", async () => {
  const words =
    "-o.git/hooks/x|-o./.git/x|-xo.git/hooks/x|file:.scorel/config.toml|dir,.scorel|a@.git|--out=.git/x|--a=b=.mcp.json|" +
    ".GIT/x|-o.scorel|-o../x|a,../x|a@../x|file:../x|-xo../x";
  const programs = ["./mytool", "cp", "zip", "dpkg"];
  const commands = programs.flatMap((program) => words.split("|").map((word) => `${program} ${word}`));
  expect(await coveredOf(commands)).toEqual([]);
});

it("a wildcard covers no path outside of the project for programs that write or run what they name", async () => {
  const commands = [
    ...[
      "tar cf /tmp/x f",
      "tar -cf/tmp/x f",
      "tar xf /tmp/x",
      "zip /tmp/x f",
      "unzip /tmp/x",
      "7z a /tmp/x f",
      "ar r /tmp/x f",
    ],
    ...[
      "zstd f /tmp/x",
      "sqlite3 /tmp/x 'select 1'",
      "git clone . /tmp/x",
      "git clone https://a/b /tmp/x",
      "git init /tmp/x",
    ],
    ...[
      "git worktree add /tmp/x",
      "git push /tmp/x main",
      "git fetch /tmp/x",
      "git remote add x /tmp/x",
      "git bundle create /tmp/x",
    ],
    ...[
      "cargo new /tmp/x",
      "npm install /tmp/x",
      "npm pack /tmp/x",
      "pnpm add /tmp/x",
      "yarn add /tmp/x",
      "pip install /tmp/x",
    ],
    ...["bun add /tmp/x", "gem install /tmp/x", "composer create-project a /tmp/x", "cmake -B/tmp/x", "black /tmp/x"],
    ...["ruff format /tmp/x", "prettier --write /tmp/x", "sftp h /tmp/x", "make /tmp/x"],
  ];
  expect(await coveredOf(commands)).toEqual([]);
  await using t = await post({ allow: ["Bash(sed -i *)", "Bash(npx prettier *)", "Bash(python3 -m black *)"] });
  for (const command of ["sed -i s/a/b/", "npx prettier", "python3 -m black"]) {
    expect(await t.bash(`${command} a`)).toBe("runs");
    expect(await t.bash(`${command} /tmp/x`)).toMatch(/^Denied: /);
  }
});

it("a wildcard covers paths outside of the project for programs that only read them, and paths inside of it", async () => {
  const commands = [
    ...[
      "git log -- /usr/lib",
      "git commit -m '/tmp is full'",
      "sort /tmp/x",
      "jq . /tmp/x",
      "awk 1 /etc/hostname",
      "sed -n p /tmp/x",
    ],
    ...[
      "gcc -I/usr/include a.c",
      "python3 /tmp/x.py",
      "tar cf x.tar f",
      "sqlite3 a 'select 1'",
      "git init x",
      "npm install ./x",
    ],
  ];
  expect(await coveredOf(commands)).toEqual(commands);
});

it("a wildcard covers the other words of these programs", async () => {
  const commands = [
    ...["./mytool --dry-run", "./mytool --run-id 5", "./mytool -v --verbose -xvf y", "./mytool -recursive -color=auto"],
    ...["./mytool -config a.json -count 3", "./mytool -encoding utf8"],
    ...["./mytool .gitignore", "./mytool x/repo.git", "./mytool a..b", "./mytool a:b,c=d@e"],
    ...["dpkg -l git", "apt install -y x", "install -m 755 a b", "ip -br link show", "nc -z host 80", "rpm -qa"],
    ...["pandoc a.md -o b.html", "mvn -q test", "brew install x", "conda list", "nvm use 22", "tcpdump -i lo -w x"],
    ...["git log main..HEAD", "git commit -m 'Ignore .git and .scorel'", "git clone git@github.com:a/b.git"],
  ];
  expect(await coveredOf(commands)).toEqual(commands);
});
