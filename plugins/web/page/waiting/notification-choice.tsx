import { useEffect } from "react";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import {
  lookAtNotifications,
  notificationState,
  notificationsDetailed,
  notificationsOn,
  wantNotifications,
} from "./notification-state.ts";

/** Whether the browser tells that a session waits while the page is not in sight. */
export function NotificationChoice() {
  const words = useWords();
  const state = useStore(notificationState);
  const areOn = useStore(notificationsOn);
  const areDetailed = useStore(notificationsDetailed);
  useEffect(() => void lookAtNotifications(), []);
  if (state === "unsupported") return <p className="muted">{words.notificationsUnsupported}</p>;
  if (state === "denied") return <p className="muted">{words.notificationsDenied}</p>;
  return (
    <fieldset className="notifications">
      <legend>{words.notifications}</legend>
      <p className="muted">{words.notificationsAbout}</p>
      {areOn && state === "granted" ? (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={areDetailed}
              onChange={(event) => notificationsDetailed.set(event.target.checked)}
            />{" "}
            {words.notificationsDetailed}
          </label>
          <button type="button" onClick={() => notificationsOn.set(false)}>
            {words.notificationsOff}
          </button>
        </>
      ) : (
        <button type="button" onClick={() => void wantNotifications()}>
          {words.notificationsOn}
        </button>
      )}
    </fieldset>
  );
}
