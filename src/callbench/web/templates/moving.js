"use strict";
// Replaces what moves in the view of a command. Without it, the view is as it was when it was asked for.
const progress = document.querySelector("[data-events]");
if (progress !== null) {
  const events = new EventSource(progress.dataset.events);
  const lost = document.getElementById("lost");
  events.addEventListener("error", () => { lost.hidden = false; });
  events.addEventListener("open", () => { lost.hidden = true; });
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
  events.addEventListener("gone", () => { events.close(); lost.hidden = false; });
}

// Of a form whose command is shown: it follows each field. Without this, a button shows it.
const choosing = document.querySelector("form[data-follows]");
if (choosing !== null) {
  const shown = document.getElementById(choosing.dataset.follows);
  const boxes = (inside) => String(Array.from(inside.querySelectorAll("[name=box]"), (box) => box.value));
  let asked = null;
  const wait = () => {
    asked?.abort();
    asked = null;
    shown.setAttribute("aria-busy", "true");
  };
  const follow = async () => {
    wait();
    const own = asked = new AbortController();
    let answer = null, made = null;
    try {
      answer = await fetch(choosing.action, { method: "POST", body: new URLSearchParams(new FormData(choosing)), signal: own.signal });
      made = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { /* It was asked anew, or nobody answers. */ }
    if (own.signal.aborted) return;
    const whole = made !== null && made.getElementById(shown.id) !== null;
    // Of another study, or with nothing to start: the form itself is another one.
    if (answer?.ok && answer.redirected && !(whole && boxes(made) === boxes(document))) return location.replace(answer.url);
    asked = null;
    shown.removeAttribute("aria-busy");
    // What starts it stays: it may be pressed just now.
    shown.querySelectorAll("[id^=made]").forEach((old, place) => {
      if (whole) old.replaceWith(made.getElementById(old.id));
      else old.textContent = place > 0 ? "" : made?.querySelector(".bad")?.textContent ?? "The page does not answer.";
    });
    if (!whole) return;
    // Of a matrix: which boxes are measured. There is none where the choice cannot be.
    const taken = made.querySelectorAll("[data-taken]");
    choosing.querySelectorAll("[data-taken]").forEach((box, place) => { box.dataset.taken = taken[place]?.dataset.taken ?? "no"; });
    // An address that would have a secret is none.
    if (answer.redirected) history.replaceState(null, "", answer.url);
  };
  choosing.addEventListener("input", wait);
  choosing.addEventListener("change", follow);
  // What was typed and taken back is no change.
  choosing.addEventListener("focusout", () => { if (asked === null && shown.hasAttribute("aria-busy")) follow(); });
  // What was filled in before this script was there, or what the browser has filled in on the way back.
  const changed = (field) => field.type === "checkbox" ? field.checked !== field.defaultChecked : (field.defaultValue ?? field.value) !== field.value;
  if (Array.from(choosing.elements).some(changed)) follow();
}
