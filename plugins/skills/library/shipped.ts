// Generated from skills/*/SKILL.md by `npm run docs`, so that no start has to read them.

/** What each shipped skill says of itself; `digest` is the sha256 of its SKILL.md. */
export const shipped: readonly { name: string; description: string; digest: string }[] = [
  {
    name: "code-review",
    description: "Review a diff, branch or commit before it is merged - bugs first, then tests, clarity and style.",
    digest: "d45234d3ac624cabe7a260cb85eb81b29bd7d41f55aaea22cc7693d0b550dcbe",
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
      "Make a git commit - choose what belongs together, check it, and write a message like those before it.",
    digest: "ecaaaac7d86aad1b8762fa9108968b102fb7ad7d1f73765178138ce7aef79b79",
  },
  {
    name: "python-math",
    description: "Runs small Python programs for exact arithmetic, such as the first Fibonacci numbers.",
    digest: "e36b0fc31d946c87ff8351470a8c113b6112d23a9fff2272f90d80b7a11a6fad",
  },
  {
    name: "write-scorel-extension",
    description:
      "Write, check and test an extension of Scorel itself - a tool, guard, slash command, projection or service.",
    digest: "b1e097b091ee1cf00544761a42501916f6161d877dd96d15ac7715a048c9f2a8",
  },
];
