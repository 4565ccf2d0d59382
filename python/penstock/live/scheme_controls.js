// The controls of a pane's scheme: which scheme, its buffer, and each of its parameters.

import { element } from "../report/scripts/elements.js";
import { bounds, firstNumber, hasSlider, isAdjustable, numberOf, sliderEnds, unitOf, valueOf } from "./parameters.js";
import { slider } from "./slider.js";

/** A choice among all schemes. */
export function schemeChoice(schemes, chosen, label, changed) {
  const families = new Map();
  for (const scheme of schemes) {
    if (!families.has(scheme.family)) families.set(scheme.family, []);
    families.get(scheme.family).push(scheme);
  }
  const groups = [...families].map(([family, members]) =>
    element(
      "optgroup",
      { label: family },
      ...members.map(({ name, title }) => element("option", { value: name, selected: name === chosen, title }, name)),
    ),
  );
  if (!schemes.some(({ name }) => name === chosen)) {
    // The scenario's own queue has what a page cannot set, such as classes.
    groups.unshift(element("option", { value: chosen, selected: true, disabled: true }, chosen));
  }
  return element("select", { "aria-label": label, onchange: (event) => changed(event.target.value) }, ...groups);
}

/** The controls of a queue's limit and parameters. `changed(queue, what)`: `what` is "limit" or the parameter's name. */
export function queueControls(scheme, queue, changed) {
  const nodes = [limitControl(queue, changed)];
  for (const param of scheme.params.filter(isAdjustable)) nodes.push(control(param, queue, changed));
  return nodes;
}

function limitControl(queue, changed) {
  const unlimited = queue.limit === "inf" || queue.limit === undefined;
  const unit = !unlimited && "bytes" in queue.limit ? "bytes" : "packets";
  const value = unlimited ? 1000 : queue.limit[unit];
  return slider({
    label: "buffer",
    help: "Maximum of waiting packets",
    unit: unit === "bytes" ? "B" : "packets",
    value,
    ends: [Math.max(1, value / 30), value * 30],
    allowed: [1, 1e9],
    whole: true,
    changed(number) {
      queue.limit = { [unit]: number };
      changed(queue, "limit");
    },
  }).node;
}

function control(param, queue, changed) {
  const present = () => queue.params?.[param.name] ?? param.default;
  const set = (value) => {
    queue.params = { ...queue.params, [param.name]: value };
    if (value === null) delete queue.params[param.name];
    changed(queue, param.name);
  };
  if (param.kind === "flag") {
    const box = element("input", { type: "checkbox", checked: present() === true, onchange: () => set(box.checked) });
    return element("div", { class: "slider", title: param.doc }, element("label", {}, box, ` ${param.name}`));
  }
  if (param.kind === "choice") return choice(param, param.choices, present(), set);
  const words = param.words.length > 0 || param.default === null ? wordAndNumber(param, present, set) : null;
  return words ?? numberControl(param, present(), set);
}

function choice(param, choices, chosen, set) {
  const options = choices.map((word) => element("option", { value: word, selected: word === chosen }, word));
  const select = element("select", { onchange: () => set(select.value) }, ...options);
  return element("div", { class: "slider", title: param.doc }, element("label", {}, `${param.name} `, select));
}

function numberControl(param, value, set) {
  const number = Number.isNaN(numberOf(value)) ? firstNumber(param) : numberOf(value);
  return slider({
    label: param.name,
    help: param.doc,
    unit: unitOf(param, value),
    value: number,
    ends: sliderEnds(param, number),
    allowed: bounds(param),
    whole: param.kind === "integer" || param.kind === "size",
    changed: (moved) => set(valueOf(param, value, moved)),
  }).node;
}

/** A parameter that may be a word such as "auto", or nothing, instead of a number. */
function wordAndNumber(param, present, set) {
  const words = [...(param.default === null ? ["off"] : []), ...param.words];
  const value = present();
  const isNumber = !Number.isNaN(numberOf(value));
  const chosen = isNumber ? "number" : (value ?? "off");
  const number = hasSlider(param) ? numberControl(param, isNumber ? value : null, set) : null;
  if (!number) return null;
  number.hidden = !isNumber;
  const options = [...words, "number"].map((word) => element("option", { value: word, selected: word === chosen }, word));
  const select = element("select", { onchange: chose }, ...options);
  function chose() {
    number.hidden = select.value !== "number";
    if (select.value === "number") set(valueOf(param, null, firstNumber(param)));
    else set(select.value === "off" ? null : select.value);
  }
  return element(
    "div",
    { class: "word-or-number", title: param.doc },
    element("div", { class: "slider" }, element("label", {}, `${param.name} `, select)),
    number,
  );
}
