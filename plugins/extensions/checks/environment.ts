/** The environment variables for processes that try out an extension. They include no keys and no home directory. */
const PASSED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SystemRoot"];

export function ownEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name] as string]])));
}
