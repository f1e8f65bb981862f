"use strict";
// Lets the marks of a chart answer to the pointer and to keys: of what each is, its value and its interval.
// Without it, the folded list below a chart says the same.
{
// In pixels of the drawing: what lies further off does not answer.
const NEAR = 40;
const element = (name, has) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(has)) made.setAttribute(key, value);
  return made;
};

const answering = (chart) => {
  const texts = Array.from(chart.querySelectorAll(".values li"), (item) => item.textContent);
  if (texts.length === 0) return;
  const slider = document.createElement("input"), said = document.createElement("p");
  Object.assign(slider, { type: "range", min: 0, max: texts.length - 1, value: 0 });
  slider.setAttribute("aria-label", `Values of ${chart.parentElement.querySelector("h3").textContent}`);
  slider.setAttribute("aria-valuetext", texts[0]);
  said.textContent = "Point at a mark, or move the slider.";
  // Who listens has it from the slider.
  said.setAttribute("aria-hidden", "true");
  const answer = document.createElement("div");
  answer.className = "answer";
  answer.append(slider, said);
  chart.querySelector(".values").before(answer);

  const drawings = Array.from(chart.querySelectorAll("svg[data-at]"), (svg) => {
    const ring = element("circle", { r: 13, fill: "none", stroke: "currentColor", "stroke-width": 1.5, visibility: "hidden", "pointer-events": "none" });
    svg.append(ring);
    // What is left out is as of the mark before.
    let last = [];
    const places = svg.dataset.at.split(" ").map((place) => (last = place.split(",").map((size, way) => (size === "" ? last[way] : Number(size)))));
    return { svg, ring, places };
  });
  const show = (at) => {
    slider.value = at;
    slider.setAttribute("aria-valuetext", texts[at]);
    said.textContent = texts[at];
    for (const { ring, places } of drawings) {
      const [x, y] = places[at];
      for (const [key, value] of [["cx", x], ["cy", y], ["visibility", "visible"]]) ring.setAttribute(key, value);
    }
  };
  slider.addEventListener("input", () => show(slider.valueAsNumber));
  slider.addEventListener("focus", () => show(slider.valueAsNumber));
  for (const { svg, places } of drawings) {
    const near = (event) => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      const far = places.map(([across, down]) => Math.hypot(across - x, down - y));
      const nearest = far.reduce((best, distance, at) => (distance < far[best] ? at : best), 0);
      if (far[nearest] <= NEAR) show(nearest);
    };
    svg.addEventListener("pointermove", near);
    svg.addEventListener("pointerdown", near);
  }
};
for (const chart of document.querySelectorAll(".chart")) answering(chart);
}
