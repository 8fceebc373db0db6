import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import "./style/base.css";
import "./style/layout.css";
import "./style/chat.css";
import "./style/composer.css";
import "./style/code.css";
import "./style/display.css";
import "./style/diff.css";
import "./style/panel.css";
import "./style/message.css";
import "./style/pictures.css";
import "./style/ui.css";
import "./style/manage.css";
import "./style/palette.css";
import "./style/access.css";
import "./style/search.css";
import "./style/waiting.css";

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
