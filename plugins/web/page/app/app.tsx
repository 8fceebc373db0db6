import { useEffect, useMemo, useState } from "react";
import { enter, forgetToken, keepToken } from "../host/access.ts";
import { Device } from "../host/device.ts";
import { useWords, WordsContext, wordsOf } from "../words/words.ts";
import { Entrance } from "./entrance.tsx";
import { Shell } from "./shell.tsx";

type Stage =
  | { at: "connecting" }
  | { at: "entrance"; problem?: "refused" | "ended" | undefined }
  | { at: "failed"; error: Error }
  | { at: "connected"; device: Device };

/** The whole page: gets in, connects, and shows the host. */
export function App() {
  const { language, words } = useMemo(() => wordsOf(navigator.languages), []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <WordsContext value={words}>
      <Stages />
    </WordsContext>
  );
}

function Stages() {
  const words = useWords();
  const [stage, setStage] = useState<Stage>({ at: "connecting" });
  const connect = async (token: string) => {
    setStage({ at: "connecting" });
    setStage(await stageWith(token));
  };
  useEffect(() => {
    let isCurrent = true;
    begin().then((begun) => isCurrent && setStage(begun));
    return () => {
      isCurrent = false;
    };
  }, []);
  useEndOf(stage, setStage);
  switch (stage.at) {
    case "connecting":
      return <p className="page-note">{words.connecting}</p>;
    case "entrance":
      return (
        <Entrance
          problem={stage.problem}
          onToken={(token) => {
            keepToken(token);
            void connect(token);
          }}
        />
      );
    case "failed":
      return (
        <div className="page-note" role="alert">
          <p>{words.unreachable}</p>
          <p className="muted">{stage.error.message}</p>
          <button type="button" onClick={() => location.reload()}>
            {words.tryAgain}
          </button>
        </div>
      );
    case "connected":
      return <Shell device={stage.device} />;
  }
}

/** A host that refuses the token for good sends the page back to its entrance. */
function useEndOf(stage: Stage, setStage: (stage: Stage) => void) {
  useEffect(() => {
    if (stage.at !== "connected") return;
    const { link } = stage.device;
    return link.subscribe(() => {
      const state = link.get();
      if (state.state !== "closed") return;
      setStage(ended(state.error ?? new Error("closed")));
    });
  }, [stage, setStage]);
}

/** One for each loading of the page: a code works once, and effects may run twice. */
let beginning: Promise<Stage> | undefined;

function begin(): Promise<Stage> {
  beginning ??= enter().then(
    ({ token, wasRefused }) => {
      if (token !== undefined) return stageWith(token);
      return { at: "entrance", problem: wasRefused ? "refused" : undefined } as const;
    },
    (error) => ({ at: "failed", error }) as const,
  );
  return beginning;
}

async function stageWith(token: string): Promise<Stage> {
  try {
    return { at: "connected", device: await Device.connect(token) };
  } catch (thrown) {
    return ended(thrown as Error);
  }
}

function ended(error: Error): Stage {
  if ((error as { code?: string }).code !== "WEB_TOKEN") return { at: "failed", error };
  forgetToken();
  return { at: "entrance", problem: "ended" };
}
