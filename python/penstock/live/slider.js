// A number that is set by a slider, on a logarithmic scale, or typed.

import { element } from "../report/scripts/elements.js";
import { threeDigits } from "./elements.js";

const STEPS = 400;
let made = 0;

/**
 * `ends`: [low, high] of the slider, both above 0; `allowed`: [low, high] of what may be typed. `changed(value)` is called at each
 * move. Returns {node, set(value)}.
 */
export function slider({ label, help, unit, value, ends, allowed, whole, changed }) {
  made += 1;
  const id = `slider-${made}`;
  const [low, high] = [Math.log(ends[0]), Math.log(Math.max(ends[1], ends[0] * 1.0001))];
  const place = (number) => Math.round((STEPS * (Math.log(Math.max(number, ends[0])) - low)) / (high - low));
  const rounded = (number) => (whole ? Math.round(number) : Number(number.toPrecision(3)));
  const range = element("input", { type: "range", id, min: 0, max: STEPS, step: 1, oninput: moved });
  const typed = element("input", { type: "text", inputmode: "decimal", "aria-label": `${label}, typed`, onchange: entered });

  function show(number) {
    range.value = place(number);
    range.setAttribute("aria-valuetext", `${threeDigits(number)} ${unit}`);
    typed.value = String(Number(number.toPrecision(6)));
  }
  function moved() {
    const number = rounded(Math.exp(low + (high - low) * (range.value / STEPS)));
    typed.value = String(number);
    range.setAttribute("aria-valuetext", `${threeDigits(number)} ${unit}`);
    changed(number);
  }
  function entered() {
    const number = Number(typed.value);
    const fits = typed.value.trim() !== "" && number >= allowed[0] && number <= allowed[1];
    typed.setAttribute("aria-invalid", String(!fits));
    if (!fits) return;
    show(whole ? Math.round(number) : number);
    changed(whole ? Math.round(number) : number);
  }
  show(value);
  const unitText = element("span", { class: "unit" }, unit);
  const node = element("div", { class: "slider", title: help }, element("label", { for: id }, label), range, typed, unitText);
  return { node, set: show };
}
