"use strict";
// Replaces what moves in the view of a command. Without it, the view is as it was when it was asked for.
const progress = document.querySelector("[data-events]");
if (progress !== null) {
  const events = new EventSource(progress.dataset.events);
  // What comes is made by the page's own templates, which escape everything.
  events.addEventListener("progress", (event) => {
    const made = new DOMParser().parseFromString(event.data, "text/html");
    const named = (inside) => Array.from(inside.querySelectorAll("[data-moves]"));
    const [before, after] = [named(progress), named(made)];
    const same = after.length > 0 && String(before.map((text) => text.dataset.moves)) === String(after.map((text) => text.dataset.moves));
    // Of a list that stays, the numbers alone change: what is unfolded or has the focus stays so.
    if (same) before.forEach((text, place) => { text.textContent = after[place].textContent; });
    else progress.innerHTML = event.data;
  });
  events.addEventListener("ended", (event) => {
    events.close();
    progress.innerHTML = "";
    document.getElementById("state").innerHTML = event.data;
  });
  events.addEventListener("gone", () => { events.close(); });
}

// Of a form whose boxes choose: the command and its time follow each of them. Without this, a button shows them.
const choosing = document.querySelector("form[data-follows]");
if (choosing !== null) {
  let asked = null;
  const follow = async () => {
    if (asked !== null) asked.abort();
    const own = asked = new AbortController();
    const shown = document.getElementById(choosing.dataset.follows);
    shown.setAttribute("aria-busy", "true");
    try {
      const body = new URLSearchParams(new FormData(choosing));
      const answer = await fetch(choosing.action, { method: "POST", body, signal: own.signal });
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = made.getElementById(shown.id);
      if (own.signal.aborted || part === null) return;
      shown.replaceChildren(...part.childNodes);
      // Of a matrix: which boxes are measured. There is none where the choice cannot be.
      const taken = made.querySelectorAll("[data-taken]");
      choosing.querySelectorAll("[data-taken]").forEach((box, place) => { box.dataset.taken = taken[place]?.dataset.taken ?? "no"; });
      history.replaceState(null, "", answer.url);
    } catch (stopped) {
      if (stopped.name !== "AbortError") throw stopped;
    } finally {
      if (asked === own) shown.removeAttribute("aria-busy");
    }
  };
  choosing.addEventListener("change", follow);
  // A box that was ticked before this script was there, or that the browser has ticked on the way back.
  if (Array.from(choosing.elements).some((field) => field.type === "checkbox" && field.checked !== field.defaultChecked)) {
    follow();
  }
}
