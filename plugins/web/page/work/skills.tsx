import type { Operations } from "@scorel/host/contract";
import type { ChatPlace } from "../chat/deeds.ts";
import { safeLine } from "../display/safe.ts";
import { useWords } from "../words/words.ts";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";

type Listed = Operations["list_skills"]["result"];
type Used = Operations["report_skills"]["result"]["skills"][number];

/** The skills of a session, how often each was loaded in it, and the problems of skills that could not be used. */
export function Skills({ place: { client, session } }: { place: ChatPlace }) {
  const words = useWords();
  const sessionId = session.id;
  const { value, error } = useReading(session, "skills", async () => {
    const listed = await client.request("list_skills", { sessionId });
    // A session that was never stored has no log to report about.
    const report = await client.request("report_skills", { sessionId, of: sessionId }).catch(() => undefined);
    return { listed, used: new Map(report?.skills.map((skill) => [skill.name, skill])) };
  });
  if (error) return <Refusal error={error} />;
  if (!value) return <p className="muted">{words.readingPanel}</p>;
  const { skills, skipped, shadowed } = value.listed;
  const missing = [
    ...skipped.map(({ folder, reason }) => ({ what: folder, why: reason })),
    ...shadowed.map(({ folder, by }) => ({ what: folder, why: words.shadowedBy(by) })),
  ];
  return (
    <>
      {skills.length === 0 && <p className="muted">{words.noSkills}</p>}
      <ul className="skills">
        {skills.map((skill) => (
          <Skill key={skill.name} skill={skill} used={value.used.get(skill.name)} />
        ))}
      </ul>
      {missing.length > 0 && (
        <section>
          <h3>{words.skillsMissing}</h3>
          <ul>
            {missing.map(({ what, why }) => (
              <li key={`${what} ${why}`}>
                <code>{safeLine(what)}</code> {safeLine(why)}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Skill({ skill, used }: { skill: Listed["skills"][number]; used: Used | undefined }) {
  const words = useWords();
  const loaded = used ? used.loaded.model + used.loaded.command + used.loaded.mention : 0;
  return (
    <li>
      <p>
        <strong>{safeLine(skill.name)}</strong> <span className="badge">{words.skillSources[skill.source]}</span>{" "}
        {loaded > 0 && <span className="badge">{words.skillLoaded(loaded)}</span>}
      </p>
      <p className="muted">{safeLine(skill.description)}</p>
      {skill.warnings.map(({ line, level, message }) => (
        <p key={`${line} ${message}`} className={`notice ${level}`}>
          {words.skillLine(line)} {safeLine(message)}
        </p>
      ))}
    </li>
  );
}
