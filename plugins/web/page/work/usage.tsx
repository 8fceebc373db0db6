import type { SessionGlance } from "@scorel/host/contract";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeLine } from "../display/safe.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { CompactNow } from "./compact.tsx";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";
import { type ContextPart, contextIn, costOf, type ModelUse, usesIn } from "./spent.ts";

/** The usage of a session by model, and what fills its context window. */
export function UsageView({ place }: { place: ChatPlace }) {
  const words = useWords();
  const { client, session } = place;
  const { spent } = useStore(session.status);
  const run = (name: string) => client.request("run_command", { sessionId: session.id, name, args: "" });
  const cost = useReading(session, "cost", async () => usesIn((await run("cost")).data));
  const context = useReading(session, "context", async () => contextIn((await run("context")).data));
  const isUnused = cost.error?.code === "COMMAND_NOTHING";
  return (
    <>
      <section>
        <h3>{words.usage}</h3>
        {spent && <Total spent={spent} />}
        {cost.value && <Models uses={cost.value} />}
        {isUnused && <p className="muted">{words.usedNothing}</p>}
        {cost.error && !isUnused && <Refusal error={cost.error} />}
      </section>
      <section>
        <h3>{words.windowTitle}</h3>
        {context.value && <Window {...context.value} />}
        {context.error && <Refusal error={context.error} />}
        {session.rights.write && <CompactNow place={place} />}
      </section>
    </>
  );
}

function Total({ spent }: { spent: NonNullable<SessionGlance["spent"]> }) {
  const words = useWords();
  const sent = spent.input + spent.cacheRead + spent.cacheWrite;
  const rows = [
    [words.costTotal, spent.cost === undefined ? "?" : `$${spent.cost.toFixed(4)}`],
    [words.tokensSent, sent.toLocaleString()],
    [words.tokensCached, spent.cachedShare === undefined ? "?" : `${Math.round(100 * spent.cachedShare)} %`],
    [words.tokensReceived, spent.output.toLocaleString()],
  ];
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Models({ uses }: { uses: readonly ModelUse[] }) {
  const words = useWords();
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            <th>{words.model}</th>
            <th className="align-right">{words.tokensSent}</th>
            <th className="align-right">{words.tokensCached}</th>
            <th className="align-right">{words.tokensReceived}</th>
            <th className="align-right">{words.costShort}</th>
          </tr>
        </thead>
        <tbody>
          {uses.map((use) => (
            <tr key={use.model}>
              <th>{safeLine(use.model)}</th>
              <td className="align-right">{use.input.toLocaleString()}</td>
              <td className="align-right">
                {use.input > 0 ? `${Math.round((100 * use.cacheRead) / use.input)} %` : "–"}
              </td>
              <td className="align-right">{use.output.toLocaleString()}</td>
              <td className="align-right">{costOf(use)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The parts of the next request, each with its share of the context window, or of the request if the window is unknown. */
function Window({ parts, used, window }: { parts: readonly ContextPart[]; used: number; window: number | undefined }) {
  const words = useWords();
  const whole = Math.max(1, window ?? used);
  const share = (tokens: number) => `${((100 * tokens) / whole).toFixed(1)} %`;
  const names: Readonly<Record<string, string>> = words.windowParts;
  return (
    <>
      <p className="muted">
        {window === undefined ? words.windowUnknown(used) : words.windowUsed(used, window, share(used))}
      </p>
      <ul className="shares">
        {parts.map(({ name, tokens }) => (
          <li key={name}>
            <span>{names[name.replace(/ \(\d+\)$/, "")] ?? safeLine(name)}</span>
            <span>{share(tokens)}</span>
            <meter min={0} max={whole} value={tokens} aria-hidden="true" />
          </li>
        ))}
      </ul>
    </>
  );
}
