"use strict";
// Replaces what moves in the view of a command. Without it, the view is as it was when it was asked for.
const progress = document.querySelector("[data-events]");
if (progress !== null) {
  const events = new EventSource(progress.dataset.events);
  // What comes is made by the page's own templates, which escape everything.
  events.addEventListener("progress", (event) => { progress.innerHTML = event.data; });
  events.addEventListener("ended", (event) => {
    events.close();
    progress.innerHTML = "";
    document.getElementById("state").innerHTML = event.data;
  });
  events.addEventListener("gone", () => { events.close(); });
}
