import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

/** Files and folders, by the end of their paths, that programs keep keys in. What lies below such a folder counts too. */
const PLACES = (
  ".ssh .aws .gnupg .kube .azure .password-store .vault-token .oci .docker/config.json .config/gcloud .config/gh .config/glab-cli " +
  ".config/hub .config/op .config/git/credentials .config/containers/auth.json .config/rclone .config/github-copilot " +
  ".config/google-chrome .config/chromium .mozilla .local/share/keyrings library/keychains .netrc _netrc .git-credentials " +
  ".pgpass .my.cnf .s3cfg .boto .htpasswd .authinfo .cargo/credentials .cargo/credentials.toml .gem/credentials .terraformrc " +
  ".terraform.d/credentials.tfrc.json .m2/settings.xml .gradle/gradle.properties .composer/auth.json .subversion/auth " +
  ".codex/auth.json .claude/.credentials.json .claude.json .pi/agent/auth.json"
).split(" ");
const PLACE = new RegExp(`/(?:${PLACES.map(escaped).join("|")})(?:/|$)`, "i");
/** Private keys by their usual names, wherever they lie. */
const NAME = /\/(?:[^/]*\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)$/i;
/** Of the system: passwords, keys, and what processes hold in memory, in their environment or open. */
const SYSTEM =
  /\/etc\/g?shadow|^\/(?:etc\/(?:master\.passwd|security\/opasswd|sudoers|ssh\/ssh_host_[^/]*_key$|ssl\/private|kubernetes|wireguard|krb5\.keytab|networkmanager\/system-connections)|(?:var\/)?run\/secrets|proc\/(?:kcore|keys|(?:[^/]+\/)+(?:environ|mem|fd|map_files))|dev\/(?:k?mem|port|fd|sd|hd|vd|nvme|mapper|disk|dm-|loop))/i;
/** The system's own programs and libraries, which anybody may know. */
const PUBLIC =
  /^\/(?:usr(?!\/(?:home|local\/etc)(?:\/|$))|bin|sbin|lib(?:32|64|x32)?|nix\/store|System|opt\/homebrew)(?:\/|$)/;
/** Settings of package managers, which hold a token or do not. */
const SETTINGS = /^(?:\.npmrc|npmrc|\.yarnrc|\.yarnrc\.yml|\.pypirc|pip\.conf)$/i;
const TOKEN = /auth|token|password|secret|:\/\/[^\s/:]+:[^\s/@]+@/i;
const MAX_SETTINGS = 262_144;

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Whether a file or folder, by its absolute path, is known to hold keys. */
export function holdsKeys(path: string): boolean {
  if (isSystem(path)) return false;
  return PLACE.test(path) || NAME.test(path) || SYSTEM.test(path) || (SETTINGS.test(basename(path)) && hasToken(path));
}

/** Whether a path is a part of the system that is the same on every machine. */
export function isSystem(path: string): boolean {
  return PUBLIC.test(path);
}

/** In doubt it has one. */
function hasToken(path: string): boolean {
  try {
    const { size } = statSync(path);
    return size > MAX_SETTINGS || TOKEN.test(readFileSync(path, "utf8"));
  } catch {
    return false; // What is not there, or cannot be read, shows nothing.
  }
}

/** Folders of a home that holds keys, for commands that go through everything in it. */
export function isAroundKeys(path: string, home: string): boolean {
  const around = path.endsWith("/") ? path : `${path}/`;
  return [home, "/root", "/etc", "/proc"].some((place) => `${place}/`.startsWith(around));
}

/** Whether a path is the file that Scorel keeps its keys in, or a copy that was made while it was written. */
export function isKeyStore(path: string, home: string): boolean {
  return keyStoreTest(home)(path);
}

/** The same for many paths. */
export function keyStoreTest(home: string): (path: string) => boolean {
  const store = join(home, ".scorel", "auth.json").toLowerCase();
  return (path) => path.toLowerCase().startsWith(store);
}
