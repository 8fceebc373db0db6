/** The previous folder and entries of the folder stack: folders that the command is in before, or that the environment names. */
const EARLIER = /^~(?:-|[-+]?\d+)(?=\/|$)|\$(?:OLDPWD\b|\{OLDPWD\})/g;

/** Reads the names of earlier folders in a word as this folder. */
export function withEarlier(text: string, folder: string): string {
  return text.replace(EARLIER, () => folder);
}

/** Expands the home folder, the current folder and quotes in a word. Returns undefined when another expansion remains. */
export function opened(text: string, folder: string, home: string): string | undefined {
  const known = text
    .replace(/\$'((?:[^'\\]|\\.)*)'/gs, (_, quoted: string) => unescaped(quoted))
    .replace(EARLIER, "$$OLDPWD")
    .replace(/^~\+(?=\/|$)/, folder)
    .replace(/^~(?=\/|$)|(?<=[=:])~(?=\/|$)/g, home)
    .replace(/^~root(?=\/|$)/, "/root")
    .replace(/^~(\w+)(?=\/|$)/, "/home/$1")
    .replace(/\$(?:HOME\b|\{HOME\})/g, home)
    .replace(/\$(?:PWD\b|\{PWD\})/g, folder)
    .replace(/\$[?#$!]|\$(?:PPID|BASHPID)\b|\$\{(?:PPID|BASHPID)\}/g, "0");
  if (/[$`]|<\(|>\(/.test(known.replace(/\\[$`]/g, ""))) return undefined;
  return known.replace(/\\(.)/gs, "$1").replace(/["']/g, "");
}

/** Decodes `$'…'`, so that escapes cannot hide a file name. */
function unescaped(text: string): string {
  const code = (digits: string, base: number) => String.fromCodePoint(Number.parseInt(digits, base) % 0x110000);
  return text
    .replace(/\\x([\da-f]{1,2})|\\u([\da-f]{1,4})|\\U([\da-f]{1,8})/gi, (_, x, u, long) => code(x ?? u ?? long, 16))
    .replace(/\\([0-7]{1,3})/g, (_, digits: string) => code(digits, 8))
    .replace(/\\(.)/gs, "$1");
}
