// Generated from skills/*/SKILL.md by `npm run docs`, so that no start has to read them.

/** What each shipped skill says of itself; `digest` is the sha256 of its SKILL.md. */
export const shipped: readonly { name: string; description: string; digest: string }[] = [
  {
    name: "code-review",
    description:
      "Review a change before it is merged - a diff, branch or commit - for bugs first, then for tests, clarity and style.",
    digest: "2691e77ee5bc236242c7fb1a1ed7639203c186f2c1a8c25719cfbb0e153c6b25",
  },
  {
    name: "compose-preset",
    description:
      "Put together a preset or config.toml for Scorel - which plugins are loaded and how they are set, for a person or a team.",
    digest: "4d0ade9fea7ef048ef16761bffef0d8557c2d2fdc70b20fdf4c48728516aad81",
  },
  {
    name: "debug-session",
    description:
      "Find out why a Scorel session behaves as it does - a failed turn, a wrong setting, a missing plugin, skill or instruction.",
    digest: "080ec4a2b51168f91e6301aee8cad7d07b700d2e4885e17740d920b254c36f6e",
  },
  {
    name: "git-commit",
    description:
      "Make a git commit of the work at hand - choose what belongs together, check it, and write a message like those before it.",
    digest: "bd19fe41b51ea35e6b42ac3cfdf209e9049576c908985c58cdfb162da540d871",
  },
  {
    name: "python-math",
    description:
      "Runs small Python programs for numbers, such as the first Fibonacci numbers. Use it when exact arithmetic is asked for.",
    digest: "83a926a9a6e0cf17aa927feca6cdeb140aa128e0681c46accdaecfad73c7adf4",
  },
  {
    name: "write-scorel-extension",
    description:
      "Write, check and test an extension of Scorel itself - a tool, guard, slash command, projection or service.",
    digest: "f4a9ee9dabad5b091468f1b0be9742fe51e685c143ac66055c382d84e492d776",
  },
];
