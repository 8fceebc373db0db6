import { useEffect } from "react";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { lookAtNotices, noticeState, noticesDetailed, noticesOn, wantNotices } from "./notice-state.ts";

/** Whether the browser tells that a session waits while the page is not in sight. */
export function NoticeChoice() {
  const words = useWords();
  const state = useStore(noticeState);
  const areOn = useStore(noticesOn);
  const areDetailed = useStore(noticesDetailed);
  useEffect(() => void lookAtNotices(), []);
  if (state === "unsupported") return <p className="muted">{words.noticesUnsupported}</p>;
  if (state === "denied") return <p className="muted">{words.noticesDenied}</p>;
  return (
    <fieldset className="notices">
      <legend>{words.notices}</legend>
      <p className="muted">{words.noticesAbout}</p>
      {areOn && state === "granted" ? (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={areDetailed}
              onChange={(event) => noticesDetailed.set(event.target.checked)}
            />{" "}
            {words.noticesDetailed}
          </label>
          <button type="button" onClick={() => noticesOn.set(false)}>
            {words.noticesOff}
          </button>
        </>
      ) : (
        <button type="button" onClick={() => void wantNotices()}>
          {words.noticesOn}
        </button>
      )}
    </fieldset>
  );
}
