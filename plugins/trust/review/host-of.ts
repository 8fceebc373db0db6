/** The longest address, in characters, that is shown as a whole and can be judged by reading it. */
const LONGEST = 200;

/**
 * ` (host evil.example)` for an address whose server is hard to see: one that is long, has a user name before the host, as in
 * `https://api.openai.com@evil.example`, or has another spelling of the host, as in `http://2130706433`. Else "".
 */
export function hostOf(address: unknown): string {
  if (typeof address !== "string" || !URL.canParse(address)) return "";
  const { host, username, password } = new URL(address);
  const isPlain = address.length <= LONGEST && username === "" && password === "" && address.includes(host);
  return isPlain || host === "" ? "" : ` (host ${host})`;
}
