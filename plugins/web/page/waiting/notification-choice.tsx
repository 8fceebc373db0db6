import { useEffect } from "react";
import type { Device } from "../host/device.ts";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import {
  lookAtNotifications,
  notificationState,
  notificationsDetailed,
  notificationsOn,
  wantNotifications,
} from "./notification-state.ts";
import { canBePushed, pushOn, pushProblem, unsubscribe } from "./push.ts";

/** A setting: whether the browser shows notifications about waiting sessions while the page is not visible. */
export function NotificationChoice({ device }: { device: Device }) {
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
          <PushChoice device={device} />
          <button
            type="button"
            onClick={() => {
              notificationsOn.set(false);
              void unsubscribe(device).catch(() => {});
            }}
          >
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

/** A setting: whether the host also sends pushes while no page is open. */
function PushChoice({ device }: { device: Device }) {
  const words = useWords();
  const isOn = useStore(pushOn);
  const problem = useStore(pushProblem);
  const { answer } = useStore(device.rights);
  if (!canBePushed() || !answer) return null;
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            if (event.target.checked) pushOn.set(true);
            else void unsubscribe(device).catch(() => {});
          }}
        />{" "}
        {words.pushOn}
      </label>
      <p className="muted">{words.pushAbout}</p>
      {isOn && problem !== undefined && <p role="alert">{words.pushFailed(problem)}</p>}
    </>
  );
}
