import { costOf, playLongSession } from "../plugins/compaction/long-session.ts";

const turns = 300;
const layers = { none: [], "layer 2": ["summary"], both: ["results", "summary"] };

/**
 * The tokens that a long session sends, and the share of them that no provider's prompt cache can serve, with and
 * without compaction.
 */
async function measure(): Promise<void> {
  const rows = [];
  let baseline: number | undefined;
  for (const [name, value] of Object.entries(layers)) {
    const { sent, cacheable } = costOf((await playLongSession(turns, { layers: value })).requests);
    const limit = name === "both" ? { limit: 20 } : {};
    rows.push({
      work: `${turns} turns, tokens sent: ${name}`,
      value: sent,
      unit: "tokens",
      ...(baseline && { baseline }),
    });
    rows.push({
      work: `${turns} turns, share no cache serves: ${name}`,
      value: 100 * (1 - cacheable),
      unit: "%",
      ...limit,
    });
    baseline ??= sent;
  }
  console.log(JSON.stringify(rows));
}

await measure();
