"use strict";
// Keeps the state of the report that stands in the frame in the address of the view.
const frame = document.querySelector("iframe");
addEventListener("message", (event) => {
  if (event.source !== frame?.contentWindow || typeof event.data !== "string" || event.data.length > 4000) return;
  const [, cell, at, beside] = /^(#c\d+[a-z-]*)@(\d+)(beside)?$/.exec(event.data) ?? [];
  // A report says nothing when it begins: it asks for what the address has, and where it was left.
  if (event.data === "") frame.contentWindow.postMessage(`${location.hash.slice(1)}${history.state ? `&at=${history.state}` : ""}`, "*");
  else if (beside) open(`${location.pathname}/cells${cell}`, "_blank", "noopener");
  else if (cell) {
    history.replaceState(at, "");
    location.assign(`${location.pathname}/cells${cell}`);
  } else history.replaceState(null, "", `#${new URLSearchParams(event.data)}`);
});
// Who chooses other values keeps what was sorted and found.
const values = document.querySelector(".head > form");
values?.addEventListener("submit", () => { values.action = location.hash; });
