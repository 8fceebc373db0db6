import { type OptionTable, optionTable } from "./options.ts";

/** A program that runs the command in its arguments. */
export interface Runner {
  options: OptionTable;
  /** Options whose value is a shell script. */
  scripts: readonly string[];
  /** The number of the program's own arguments before the command. */
  before: number;
  /** Whether `NAME=value` may stand before the command. */
  assigns: boolean;
  /** Whether a shell reads the arguments: joined by blanks, or each as a script. */
  joined: boolean | "each";
  /** Whether it starts a shell or reads commands when no command is given. */
  reads: boolean;
}

function runner(flags = "", valued = "", more: Partial<Runner> & { attached?: string } = {}): Runner {
  const none = { scripts: [], before: 0, assigns: false, joined: false, reads: false };
  return { ...none, ...more, options: optionTable(flags, valued, more.attached) };
}

/** A program whose first argument is the command. */
export const PLAIN = runner();
const VAGUE = runner("", "", { reads: true });
/** A program that runs a program of a package. */
export const PACKAGE = runner(
  "y q s yes no quiet silent no-install ignore-existing verbose offline",
  "p package w workspace c call from with python cache registry prefix",
  { scripts: ["c", "call"] },
);
/** Options as listed in the manuals. An option missing here is read in every possible way. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  sudo: runner(
    "A b B E e H i K k l n P S s V v askpass background bell preserve-env edit set-home login non-interactive preserve-groups stdin shell validate",
    "C D g h p R r T t U u close-from chdir group host prompt chroot role command-timeout type other-user user",
    { assigns: true, reads: true },
  ),
  doas: runner("L n s", "a C u", { reads: true }),
  env: runner("i 0 v ignore-environment null debug list-signal-handling", "u C S a unset chdir split-string argv0", {
    attached: "block-signal default-signal ignore-signal",
    assigns: true,
  }),
  exec: runner("c l", "a"),
  command: runner("p"),
  builtin: PLAIN,
  nohup: PLAIN,
  setsid: runner("c f w ctty fork wait"),
  nice: runner("", "n adjustment"),
  ionice: runner("t ignore", "c n classdata class"),
  time: runner("p v a q portability verbose append quiet", "f o format output"),
  timeout: runner("v f p verbose foreground preserve-status", "k s kill-after signal", { before: 1 }),
  stdbuf: runner("", "i o e input output error"),
  chrt: runner("b f i o r d a R batch fifo idle other rr deadline all-tasks", "T P D", { before: 1 }),
  taskset: runner("a all-tasks", "", { before: 1 }),
  xargs: runner(
    "0 o p r t x null open-tty interactive no-run-if-empty verbose exit show-limits",
    "a d E I J L n P R s S arg-file delimiter max-args max-procs max-chars process-slot-var",
    { attached: "e i l eof replace max-lines" },
  ),
  watch: runner(
    "b c C d e g p r t w x beep color no-color chgexit errexit precise no-rerun no-title no-wrap exec",
    "n q interval equexit",
    { attached: "differences", joined: true },
  ),
  flock: runner(
    "s x e n u o F v shared exclusive nonblock nb unlock close no-fork verbose",
    "w E timeout wait conflict-exit-code",
    { scripts: ["c", "command"], before: 1 },
  ),
  chroot: runner("skip-chdir", "userspec groups", { before: 1, reads: true }),
  strace: runner("f F c C d D h i k n q r t T v V w x y z Z", "e o p s S u E a b I O P U X"),
  ltrace: runner("f c C h i L r S t T V", "A a D e F l n o p s u w x"),
  busybox: PLAIN,
  toybox: PLAIN,
  ssh: runner("4 6 A a C f G g K k M N n q s T t V v X x Y y", "B b c D E e F I i J L l m O o P p Q R S W w", {
    scripts: ["o"],
    before: 1,
    joined: true,
    reads: true,
  }),
  mosh: runner("4 6 a n o", "p port ssh server client predict family bind-server experimental-remote-ip", {
    scripts: ["ssh", "server", "client"],
    before: 1,
  }),
  su: runner(
    "l m p f login preserve-environment fast pty P",
    "c g G s w command group supp-group shell session-command",
    {
      scripts: ["c", "command", "session-command"],
      before: 1,
      reads: true,
    },
  ),
  runuser: runner("l m p f login preserve-environment fast pty P", "u c g G s w user command group supp-group shell", {
    scripts: ["c", "command"],
    reads: true,
  }),
  script: runner(
    "a e f q append return flush force quiet",
    "c B I O E m o T command log-in log-out log-io log-timing",
    {
      scripts: ["c", "command"],
      before: 1,
      reads: true,
    },
  ),
  eval: runner("", "", { joined: true }),
  trap: runner("l p", "", { joined: "each" }),
  hyperfine: runner(
    "i N ignore-failure show-output",
    "w m M r S L p s c C n prepare setup cleanup conclude shell warmup runs min-runs max-runs parameter-list export-json export-markdown export-csv command-name",
    { joined: "each", scripts: ["p", "s", "c", "C", "S", "prepare", "setup", "cleanup", "conclude", "shell"] },
  ),
  npx: PACKAGE,
  pnpx: PACKAGE,
  bunx: PACKAGE,
  uvx: PACKAGE,
  "cross-env": runner("", "", { assigns: true }),
  dotenv: runner("", "e"),
};
/** Programs whose options are not listed, so any argument may be a command. Without one, most of them start a shell. */
const OTHERS = new Set(
  (
    "pkexec catchsegv chronic unshare nsenter firejail proot fakeroot setarch linux32 linux64 cgexec systemd-run dbus-run-session " +
    "xvfb-run start-stop-daemon valgrind perf daemonize nodemon concurrently rlwrap unbuffer torsocks proxychains tsocks " +
    "setpriv capsh numactl prlimit sg newgrp entr parallel xterm caffeinate arch gtimeout gnice gxargs doppler direnv with-env " +
    "i386 x86_64 uname26 ssh-agent run0 runcon bwrap fakechroot eatmydata choom uclampset cpulimit faketime pidproxy dumb-init tini gosu " +
    "systemd-inhibit systemd-cat dbus-launch nq tsp dtach abduco autoexpect gnome-terminal konsole alacritty foot urxvt " +
    "x-terminal-emulator xfce4-terminal terminator rr heaptrack uftrace bpftrace trace-cmd dtruss sandbox-exec xcrun wine box64 " +
    "mpirun mpiexec srun bsub multitime watchexec onchange proxychains4 execlineb s6-setuidgid s6-envdir flatpak-spawn " +
    "distrobox-enter xinit startx gpg-agent " +
    "su-exec setuidgid corepack chpst softlimit envdir aws-vault sshpass nix nix-shell machinectl systemd-nspawn"
  ).split(" "),
);
/** Programs whose first argument is not the command. */
export const WITH_OPERAND = /^(?:setarch|sg|newgrp|runcon|machinectl)$/;
/** Subcommands by which package managers and similar tools run another program. */
const RUNNING_SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x|explore)$/,
  pnpm: /^(?:exec|dlx|x)$/,
  yarn: /^(?:exec|dlx)$/,
  bun: /^x$/,
  uv: /^(?:run|tool)$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  pipx: /^run$/,
  bundle: /^exec$/,
  mise: /^(?:exec|x)$/,
  asdf: /^exec$/,
  conda: /^run$/,
  mamba: /^run$/,
  micromamba: /^run$/,
  pixi: /^run$/,
  pdm: /^run$/,
  hatch: /^run$/,
  rye: /^run$/,
  volta: /^run$/,
  nvm: /^(?:run|exec)$/,
  n: /^(?:run|exec)$/,
  op: /^run$/,
  infisical: /^run$/,
  dotenvx: /^run$/,
  foreman: /^run$/,
  honcho: /^run$/,
  heroku: /^run$/,
  toolbox: /^(?:run|enter)$/,
  distrobox: /^enter$/,
  rustup: /^run$/,
};

/**
 * Whether a program runs a command in its arguments, but its options are not listed, so that any argument may be the
 * command.
 */
export function isVague(name: string): boolean {
  return OTHERS.has(name);
}

/** How a program runs the command in its arguments; undefined for programs that do not. */
export function runnerOf(name: string): Runner | undefined {
  if (name === "genv") return RUNNERS.env;
  if (Object.hasOwn(RUNNERS, name)) return RUNNERS[name];
  return OTHERS.has(name) ? VAGUE : undefined;
}

/** The subcommands by which a program runs another one; undefined for programs without any. */
export function runningSubcommands(name: string): RegExp | undefined {
  return Object.hasOwn(RUNNING_SUBCOMMANDS, name) ? RUNNING_SUBCOMMANDS[name] : undefined;
}
