import type { ArtifactVersion } from "@scorel/artifacts/contract";
import { everyPage } from "@scorel/host/client";
import { imageType } from "@scorel/kit/files/image-type";
import { useState } from "react";
import type { ChatPlace } from "../chat/deeds.ts";
import { Picture } from "../display/picture.tsx";
import { safeLine } from "../display/safe.ts";
import { download } from "../ui/download.ts";
import { attempt } from "../ui/notes.ts";
import { useWords } from "../words/words.ts";
import { artifactBytes, MOST_BYTES } from "./artifact-bytes.ts";
import { FileText } from "./file-text.tsx";
import { useReading } from "./reading.ts";
import { Refusal } from "./refusal.tsx";

/** The largest artifact that is shown, in bytes. Larger ones can be downloaded. */
const MOST_SHOWN = 4 * 2 ** 20;

/** The artifacts of a session, and those of all sessions. */
export function Artifacts({ place: { client, session } }: { place: ChatPlace }) {
  const words = useWords();
  const { value, error } = useReading(session, "artifacts", () =>
    everyPage((page) => client.request("list_artifacts", { sessionId: session.id, ...page })),
  );
  // A host without the plugin has no artifacts.
  if (error) return error.code === "HOST_OPERATION_UNKNOWN" ? null : <Refusal error={error} />;
  if (!value || value.artifacts.length === 0) return null;
  return (
    <section aria-label={words.artifacts}>
      <h3>{words.artifacts}</h3>
      {value.artifacts.map((artifact) => (
        <Artifact
          key={`${artifact.name}@${artifact.version}`}
          artifact={artifact}
          read={() => artifactBytes(client, session.id, artifact)}
        />
      ))}
    </section>
  );
}

interface ArtifactProps {
  artifact: ArtifactVersion;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

function Artifact({ artifact: { name, version, size, mimeType }, read }: ArtifactProps) {
  const words = useWords();
  const [shown, setShown] = useState<Uint8Array<ArrayBuffer>>();
  const isOfUser = name.startsWith("user:");
  const title = safeLine(isOfUser ? name.slice("user:".length) : name);
  const isShowable = size <= MOST_SHOWN && /^(?:text\/|image\/|application\/(?:json|xml|x-ndjson)\b)/.test(mimeType);
  const save = async () =>
    download(new Blob([await read()], { type: "application/octet-stream" }), {
      name: lastPart(title),
      ending: "",
      otherwise: "artifact",
    });
  return (
    <article className="artifact" aria-label={title}>
      <p>
        <code>{title}</code> <span className="muted">{words.artifactVersion(version, size)}</span>{" "}
        {isOfUser && <span className="badge">{words.artifactMine}</span>}
      </p>
      <p>
        {isShowable && (
          <button
            type="button"
            className="link"
            aria-label={shown ? words.hideArtifact(title) : words.showArtifact(title)}
            onClick={() => (shown ? setShown(undefined) : attempt(async () => setShown(await read())))}
          >
            {shown ? words.hide : words.show}
          </button>
        )}{" "}
        {size <= MOST_BYTES ? (
          <button
            type="button"
            className="link"
            aria-label={words.downloadArtifact(title)}
            onClick={() => attempt(save)}
          >
            {words.download}
          </button>
        ) : (
          <span className="muted">{words.artifactHuge(safeLine(name))}</span>
        )}
      </p>
      {shown && <Content bytes={shown} name={title} mimeType={mimeType} />}
    </article>
  );
}

function Content({ bytes, name, mimeType }: { bytes: Uint8Array; name: string; mimeType: string }) {
  if (imageType(bytes) !== undefined) return <Picture data={base64Of(bytes)} mimeType={mimeType} name={name} />;
  return <FileText text={new TextDecoder().decode(bytes)} path={name} />;
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  // In chunks, since the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
