/** The environment variables that a process gets in which an extension is tried out: no keys, and no home. */
const PASSED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SystemRoot"];

export function ownEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] as string]])));
}
