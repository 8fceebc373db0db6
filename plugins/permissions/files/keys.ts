import { statSync } from "node:fs";
import { basename } from "node:path";
import { readText } from "@scorel/kit/files/open";
import { isElsewhere } from "./file-cache.ts";

/** Where programs keep credentials, as path endings. Everything below such a folder counts too. */
const PLACES = (
  ".ssh .aws .gnupg .kube .azure .password-store .vault-token .oci .docker/config.json .config/gcloud .config/gh .config/glab-cli " +
  ".config/hub .config/op .config/git/credentials .config/containers/auth.json .config/rclone .config/github-copilot " +
  ".config/google-chrome .config/chromium .mozilla .local/share/keyrings library/keychains .netrc _netrc .git-credentials " +
  ".pgpass .my.cnf .s3cfg .boto .htpasswd .authinfo .cargo/credentials .cargo/credentials.toml .gem/credentials .terraformrc " +
  ".terraform.d/credentials.tfrc.json .m2/settings.xml .gradle/gradle.properties .composer/auth.json .subversion/auth " +
  ".codex/auth.json .claude/.credentials.json .claude.json .pi/agent/auth.json"
).split(" ");
const PLACE = new RegExp(`/(?:${PLACES.map(escaped).join("|")})(?:/|$)`, "i");
/** Usual names of private keys, in any folder. */
const NAME = /\/(?:[^/]*\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)$/i;
/** System files with passwords or keys, and processes' memory, environment and open files. */
const SYSTEM =
  /\/etc\/g?shadow|^\/(?:etc\/(?:master\.passwd|security\/opasswd|sudoers|ssh\/ssh_host_[^/]*_key$|ssl\/private|kubernetes|wireguard|krb5\.keytab|networkmanager\/system-connections)|(?:var\/)?run\/secrets|proc\/(?:kcore|keys|(?:[^/]+\/)+(?:environ|mem|fd|map_files))|dev\/(?:k?mem|port|fd|sd|hd|vd|nvme|mapper|disk|dm-|loop))/i;
/** System programs and libraries, which are not secret. */
const PUBLIC =
  /^\/(?:usr(?!\/(?:home|local\/etc)(?:\/|$))|bin|sbin|lib(?:32|64|x32)?|nix\/store|System|opt\/homebrew)(?:\/|$)/;
/** Settings of package managers, which may contain a token. */
const SETTINGS = /^(?:\.npmrc|npmrc|\.yarnrc|\.yarnrc\.yml|\.pypirc|pip\.conf)$/i;
const TOKEN = /auth|token|password|secret|:\/\/[^\s/:]+:[^\s/@]+@/i;
const MAX_SETTINGS = 262_144;
/** Variables of a program, such as `.env.local`. Templates are left out: they are made to be read. */
const VARIABLES = /^(?!.*\.(?:example|sample|template|dist|defaults|schema)$)(?:\.env(?:\.[^/]+)?|[^/]+\.env)$/i;
/** A variable that has a value. */
const VARIABLE = /^\s*(?:export\s+)?(\w+)\s*=\s*["']?[^\s"'#]/i;
/** Names of variables whose values are secret. */
const SECRET_NAME = /KEY(?!BOARD|WORD)|TOKEN|SECRET|PASS(?!ENGER)|PWD|CREDENTIAL|AUTH(?!OR)/i;
/** Line breaks. Programs that read variables also accept a carriage return alone. */
const LINE_END = /[\r\n\u2028\u2029]/;
/** A URL with a password. */
const PASSWORD = /:\/\/[^\s/:]*:[^\s/@]+@/;

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Whether an absolute path is known to hold keys. */
export function holdsKeys(path: string): boolean {
  if (isSystem(path)) return false;
  if (PLACE.test(path) || NAME.test(path) || SYSTEM.test(path)) return true;
  const name = basename(path);
  return (
    (SETTINGS.test(name) && contains(path, (text) => TOKEN.test(text))) ||
    (VARIABLES.test(name) && contains(path, (text) => text.split(LINE_END).some(isSecretLine)))
  );
}

/** Whether a path belongs to system files that are the same on every machine. */
export function isSystem(path: string): boolean {
  return PUBLIC.test(path);
}

/** Whether a line gives a value to a variable whose name says that the value is secret, or contains a URL with a password. */
function isSecretLine(line: string): boolean {
  return SECRET_NAME.test(VARIABLE.exec(line)?.[1] ?? "") || PASSWORD.test(line);
}

/**
 * Whether a settings file contains a secret. True for a file that is too large to search, or that is on another computer.
 */
function contains(path: string, isSecret: (text: string) => boolean): boolean {
  if (isElsewhere()) return true;
  try {
    const { size } = statSync(path);
    return size > MAX_SETTINGS || isSecret(readText(path));
  } catch {
    return false; // A file that does not exist or cannot be read reveals nothing.
  }
}

/** Whether a folder contains a home or system folder with keys; for commands that walk the folder. */
export function isAroundKeys(path: string, home: string): boolean {
  const around = path.endsWith("/") ? path : `${path}/`;
  return [home, "/root", "/etc", "/proc"].some((place) => `${place}/`.startsWith(around));
}
